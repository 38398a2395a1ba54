// SyntheticKernels.h - the thesis' kernels: arithmetic on an array in shared memory, in a loop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Published: N kernels of 4 to NB blocks, few registers, the loop count sets the time. Not
// published, so ours: threads per block (128, 256, 512 or 1024), registers (16 to 32), the array (1
// to 24 KiB), the loop count (100,000 / spread to 100,000) and what one turn of the loop does. All
// are drawn evenly; the same for the same seed with every standard library.
#pragma once

#include "rt/device/sim/SimKernel.h"

#include <vector>

namespace gpusched::knapsack_paper {

struct SyntheticSet {
  size_t kernels = 32;
  uint32_t mostBlocks = 32; // grids have 4 to so many
  uint32_t spread = 100;    // largest loop count / least, at most kMostTurns
};
inline constexpr uint32_t kMostTurns = 100'000;

/// Error: as makeSimKernel.
Result<std::vector<sim::SimKernel>> syntheticKernels(const DeviceDescription& device,
                                                     const SyntheticSet& set, unsigned seed);

} // namespace gpusched::knapsack_paper
