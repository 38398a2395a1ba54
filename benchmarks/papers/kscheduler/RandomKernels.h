// RandomKernels.h - kernels that nobody chose: a check that a policy was not fitted to the thesis'.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/sim/SimKernel.h"

#include <vector>

namespace gpusched::thesis {

/// `count` kernels for `device`, as if measured there: shape, time (5 to 100 ms), stall mix, EPC,
/// one busy resource and some half busy, and for a quarter a working set in L1. The same for the
/// same seed with every standard library. Of a part of them, `smallGrids`, the grid has fewer
/// blocks than the device SMs, and half of these fill an SM's shared memory with one block.
std::vector<sim::SimKernel> randomKernels(const DeviceDescription& device, size_t count,
                                          unsigned seed, double smallGrids = 0);

} // namespace gpusched::thesis
