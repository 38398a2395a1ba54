// Forward.h - what every function needs that stands before the driver's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/modules/ModuleDriver.h"

#define GPUSCHED_STAND_IN_FUNCTION extern "C" __attribute__((visibility("default"))) CUresult

/// `forward`: the driver's function of that exported name.
#define GPUSCHED_FORWARD(NAME) static const auto forward = ofDriver(&NAME, #NAME)

namespace gpusched::modules {

/// In place of a function that the driver has not got.
template <class... Arguments> CUresult missing(Arguments...) {
  return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
}

/// The driver's function of this exported name, for forwarding to.
template <class... Arguments> auto ofDriver(CUresult (*)(Arguments...), const char* name) {
  void* const found = driverSymbol(name);
  return found ? reinterpret_cast<CUresult (*)(Arguments...)>(found) : missing<Arguments...>;
}

} // namespace gpusched::modules
