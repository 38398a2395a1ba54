// Driver.h - driver functions in tests, which no libcuda is there to link with.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Check.h"

#include <cuda.h>
#include <dlfcn.h>

#define DRIVER_NAME(NAME) #NAME
/// The function, by the name that cuda.h gives it (_v2 and the like).
#define DRIVER(NAME) reinterpret_cast<decltype(&NAME)>(driverFunction(DRIVER_NAME(NAME)))
#define CHECK_CU(NAME, ...) CHECK_IS(DRIVER(NAME)(__VA_ARGS__), CUDA_SUCCESS)

inline void* driverFunction(const char* name) {
  void* const function = dlsym(RTLD_DEFAULT, name);
  if (!function) {
    std::printf("there is no %s\n", name);
    std::exit(1);
  }
  return function;
}

/// Some memory of the first device, whose primary context is the thread's from now on.
inline CUdeviceptr openFirstDevice(size_t bytes) {
  CUcontext context;
  CUdeviceptr data;
  CHECK_CU(cuInit, 0);
  CHECK_CU(cuDevicePrimaryCtxRetain, &context, 0);
  CHECK_CU(cuCtxSetCurrent, context);
  CHECK_CU(cuMemAlloc, &data, bytes);
  return data;
}
