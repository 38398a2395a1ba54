// DriverTable.h - the driver's functions as pointers, found at run time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to rt/device/cuda: the only header of ours besides the injected ones that needs
// cuda.h. Types come from cuda.h, so a call with wrong arguments does not compile.
#pragma once

#include "rt/support/Result.h"

#include <cuda.h>

#include <string>

namespace gpusched {

struct DriverTable {
#define GPUSCHED_DRIVER_SYMBOL(NAME) decltype(&::NAME) NAME = nullptr;
#define GPUSCHED_DRIVER_OPTIONAL(NAME) decltype(&::NAME) NAME = nullptr;
#include "rt/device/cuda/DriverSymbols.def"

  /// "CUDA_ERROR_NO_DEVICE (100)".
  std::string text(CUresult result) const;
};

/// Opens libcuda.so.1 (never closed: CUDA does not support that) and looks every symbol up. Calls
/// none of them.
Result<DriverTable> openDriver();

} // namespace gpusched
