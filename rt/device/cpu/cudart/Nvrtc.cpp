// Nvrtc.cpp - machine code that a program compiles at run time is handed to it as PTX.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that compile for the device they find (`--gpu-architecture=sm_90`) ask NVRTC for a
// cubin and load it with cuModuleLoadData() or cuLibraryLoadData(), which take PTX as well. NVRTC
// keeps the PTX that it made the cubin from. Ours is found before libnvrtc's, which does the work.
#include <dlfcn.h>

#include <cstddef>

namespace {

using Program = void*;
constexpr int kInternalError = 11; // NVRTC_ERROR_INTERNAL_ERROR

template <class Argument> int callNvrtc(const char* function, Program program, Argument argument) {
  using Call = int (*)(Program, Argument);
  const Call call = reinterpret_cast<Call>(dlsym(RTLD_NEXT, function));
  return call ? call(program, argument) : kInternalError;
}

} // namespace

#define GPUSCHED_NVRTC extern "C" __attribute__((visibility("default"))) int

GPUSCHED_NVRTC nvrtcGetCUBINSize(Program program, size_t* bytes) {
  return callNvrtc("nvrtcGetPTXSize", program, bytes);
}

GPUSCHED_NVRTC nvrtcGetCUBIN(Program program, char* code) {
  return callNvrtc("nvrtcGetPTX", program, code);
}
