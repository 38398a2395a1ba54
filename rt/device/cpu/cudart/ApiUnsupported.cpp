// ApiUnsupported.cpp - the functions of the CUDA 13 runtime that the cpu device does not have.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every one is exported so that a program which merely mentions it still loads; calling it says
// so and returns cudaErrorNotSupported. To implement one, move its name from Unsupported.def to
// an Api*.cpp. No CUDA header here: these definitions have no parameters on purpose, and all
// of the functions return cudaError_t in a register.
#include "rt/support/Log.h"

static int unsupported(const char* name) {
  gpusched::log(gpusched::LogLevel::Error, "%s is not implemented on the cpu device", name);
  return 801; // cudaErrorNotSupported
}

#define GPUSCHED_UNSUPPORTED(NAME)                                                                 \
  extern "C" __attribute__((visibility("default"))) int NAME() {                                   \
    return unsupported(#NAME);                                                                     \
  }
#include "rt/device/cpu/cudart/Unsupported.def"
