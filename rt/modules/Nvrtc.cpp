// Nvrtc.cpp - who asks NVRTC for machine code gets the PTX that it was made from.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   nvrtcGetCUBIN(program)  where PTX is wanted: nvrtcGetPTX. NVRTC keeps the PTX of what it
//                           compiled for a device (sm_90), but for LTO.
//
// Ours is found before libnvrtc's by programs that are linked with it, and by dlsym.
// Threads: any, as in NVRTC.
#include "rt/modules/Lookup.h"
#include "rt/modules/MachineCode.h"
#include "rt/support/Log.h"

#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <string>

namespace gpusched::modules {
namespace {

constexpr int kInternalError = 11; // NVRTC_ERROR_INTERNAL_ERROR

using NvrtcFunction = int (*)(void* program, void* result);

/// NVRTC's own functions: of the handle by which a program looked ours up, or what is behind us.
struct Nvrtc {
  std::atomic<void*> handle{RTLD_NEXT};
  int call(const char* name, void* program, void* result) const {
    const auto function =
        reinterpret_cast<NvrtcFunction>(systemLookup(handle.load(std::memory_order_acquire), name));
    return function ? function(program, result) : kInternalError;
  }
};
Nvrtc nvrtc;

/// Of a program that NVRTC has made PTX of. With LTO it has none.
bool hasPtx(void* program) {
  size_t bytes = 0;
  return wantsPtxCode() && nvrtc.call("nvrtcGetPTXSize", program, &bytes) == 0 && bytes > 1;
}

void rememberCode(void* program, const char* ptx) try {
  size_t bytes = 0;
  if (nvrtc.call("nvrtcGetCUBINSize", program, &bytes) != 0)
    return;
  std::string code(bytes, 0);
  if (nvrtc.call("nvrtcGetCUBIN", program, code.data()) == 0)
    rememberMachineCode(ptx, code);
} catch (...) {
  GPUSCHED_LOG_ONCE(LogLevel::Error, "out of memory for the machine code of a program that NVRTC "
                                     "compiled; it has PTX alone");
}

} // namespace

void* nvrtcStandIn(void* handle, const char* name, void* found) {
  const bool isSize = !std::strcmp(name, "nvrtcGetCUBINSize");
  if (!found || !wantsPtxCode() || (!isSize && std::strcmp(name, "nvrtcGetCUBIN") != 0))
    return found;
  nvrtc.handle.store(handle, std::memory_order_release);
  return standIn(name);
}

} // namespace gpusched::modules

using namespace gpusched::modules;

#define GPUSCHED_NVRTC extern "C" __attribute__((visibility("default"))) int

GPUSCHED_NVRTC nvrtcGetCUBINSize(void* program, size_t* bytes) {
  return nvrtc.call(hasPtx(program) ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize", program, bytes);
}

GPUSCHED_NVRTC nvrtcGetCUBIN(void* program, char* code) {
  if (!hasPtx(program))
    return nvrtc.call("nvrtcGetCUBIN", program, code);
  const int result = nvrtc.call("nvrtcGetPTX", program, code);
  if (result == 0)
    rememberCode(program, code);
  return result;
}
