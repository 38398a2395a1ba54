// LaunchFlags.cpp - flags out of what the analysis found.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/LaunchFlags.h"

#include "rt/include/gpusched/LaunchAbi.h"

namespace gpusched::passes {
namespace {

/// Shared memory of the twin behind the kernel's.
uint32_t behindUnits(const KernelInfo& kernel) {
  if (kernel.behindAlignment == 0)
    return 0;
  return kernel.lanesBehind      ? GPUSCHED_LANE_UNITS
         : kernel.notesMbarriers ? GPUSCHED_MBARRIER_UNITS
                                 : GPUSCHED_WORKER_UNITS;
}

} // namespace

uint32_t launchFlags(const KernelInfo& kernel, const KernelInstance& instance) {
  uint32_t flags = GPUSCHED_KERNEL_LOOK_BACK_SAFE;
  if (kernel.drains)
    flags |= GPUSCHED_KERNEL_DRAIN_BARRIER;
  if (kernel.batches)
    flags |= GPUSCHED_KERNEL_BATCHES;
  if (!kernel.loops)
    flags |= GPUSCHED_KERNEL_NO_LOOPS;
  if (instance.wholeWarpRows)
    flags |= GPUSCHED_KERNEL_WHOLE_WARP_ROWS;
  return flags | behindUnits(kernel) << GPUSCHED_KERNEL_SHARED_SHIFT;
}

} // namespace gpusched::passes
