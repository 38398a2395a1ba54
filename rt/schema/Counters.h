// Counters.h - what the cpu device counts while it runs a kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written as the dynamic profile's "cpu" source and read by the model. All values are sums
// over one or more launches of one kernel; `launches` says how many.
#pragma once

#include <cstdint>

namespace gpusched {

struct KernelCounters {
  uint64_t launches = 0;
  uint64_t blocks = 0, warps = 0, threads = 0;
  uint64_t warpInstructions = 0; // issued, one per warp whatever the active lanes
  uint64_t laneInstructions = 0; // sum of active lanes
  // Warp instructions by class; they add up to warpInstructions.
  uint64_t integer = 0, fp16 = 0, fp32 = 0, fp64 = 0, sfu = 0, conversion = 0, control = 0,
           loadStore = 0, atomic = 0, barrier = 0, tensor = 0, other = 0;
  uint64_t flops = 0; // lane operations; a fused multiply-add counts two
  uint64_t divergentBranches = 0;
  // Memory, in 32-byte sectors touched per warp instruction, summed.
  uint64_t globalLoadSectors = 0, globalStoreSectors = 0, globalAtomicSectors = 0;
  uint64_t globalLoads = 0, globalStores = 0; // warp instructions
  uint64_t localSectors = 0;
  uint64_t sharedAccesses = 0;  // warp instructions
  uint64_t sharedPasses = 0;    // bank passes; minus sharedAccesses = conflicts
  uint64_t distinctSectors = 0; // distinct 32-byte sectors of global memory touched, sampled
};

} // namespace gpusched
