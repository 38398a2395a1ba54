// ApiUnsupported.cpp - the functions of CUDA 13 that the cpu device does not have.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every one is exported so that a program which merely mentions it still loads; calling it says
// so and returns cudaErrorNotSupported, which is CUDA_ERROR_NOT_SUPPORTED too. To implement one,
// move its name from the list to an Api*.cpp, or a Driver*.cpp and DriverEntryPoints.def. No CUDA
// header here: these definitions have no parameters on purpose, and all of the functions return
// their error in a register.
#include "rt/support/Log.h"

static int unsupported(const char* name) {
  gpusched::log(gpusched::LogLevel::Error, "%s is not implemented on the cpu device", name);
  return 801;
}

#define GPUSCHED_UNSUPPORTED(NAME)                                                                 \
  extern "C" __attribute__((visibility("default"))) int NAME() {                                   \
    return unsupported(#NAME);                                                                     \
  }
#include "rt/device/cpu/cudart/Unsupported.def"
#include "rt/device/cpu/cudart/UnsupportedDriver.def"
