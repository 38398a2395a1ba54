// WarpRegisters.h - how much of an SM's registers one warp takes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers are allocated in units, and every scheduler of an SM has its own part of them: a warp
// with 40 a thread takes 1280 of 16384, twelve fit beside a scheduler, and the 1024 left over fit
// none (cuda_occupancy.h, cudaOccMaxBlocksPerSMRegsLimit). So a warp is charged the twelfth of the
// part. Sums of charges say then of any number of warps of one kernel whether they fit, and are on
// the safe side for several kernels.
#pragma once

#include "rt/support/RoundUp.h"

#include <cstdint>

namespace gpusched {

/// Allocated registers, a multiple of `unit`.
inline uint64_t registersAllocated(uint32_t perThread, uint64_t unit) {
  return roundUp(uint64_t(perThread) * 32, unit);
}

/// Of the registers of `perScheduler`; more than those when a warp does not fit.
inline uint64_t registersCharged(uint32_t perThread, uint64_t unit, uint64_t perScheduler) {
  const uint64_t allocated = registersAllocated(perThread, unit);
  if (allocated == 0 || allocated > perScheduler)
    return allocated;
  return perScheduler / (perScheduler / allocated);
}

/// The same of all warps of a block.
inline uint64_t registersOfBlock(uint32_t threads, uint32_t perThread, uint64_t unit,
                                 uint64_t perScheduler) {
  return roundUp(threads, 32) / 32 * registersCharged(perThread, unit, perScheduler);
}

} // namespace gpusched
