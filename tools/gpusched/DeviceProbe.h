// DeviceProbe.h - is there a GPU here?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/support/Result.h"

namespace gpusched::tool {

/// The number of CUDA devices, at least 1, or why there is none. Opens libcuda.so.1 and calls
/// cuInit; this process should not fork afterwards.
Result<int> cudaDevices();

} // namespace gpusched::tool
