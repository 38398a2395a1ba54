// Program.h - gpusched_launch, and what the objects of one program or shared library share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpusched_program holds one word that every launch reads: the function that takes the launch.
// It starts as gpusched_first_launch, which looks at the environment once and stores either null
// (native, for good) or the runtime's entry. Two threads that launch first at the same time both
// look; both find the same, and only the one that stores it logs.
//
// Weak and hidden, not inline: one copy per program or shared library, never the copy of another
// one. The names gpusched_launch and gpusched_launch_ex end in _ptsz for objects with the
// per-thread default stream, because both kinds may meet in one program.
#pragma once

#include "../LaunchAbi.h"
#include "Cudart.h"
#include "Once.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GPUSCHED_SHARED extern "C" __attribute__((weak, visibility("hidden")))

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define GPUSCHED_LAUNCH gpusched_launch_ptsz
#define GPUSCHED_LAUNCH_EX gpusched_launch_ex_ptsz
#else
#define GPUSCHED_LAUNCH gpusched_launch
#define GPUSCHED_LAUNCH_EX gpusched_launch_ex
#endif

extern "C" {
// Weak references: null where the C library has no dlopen, and no link-time need for -ldl.
void* gpusched_dlopen(const char*, int) __asm__("dlopen") __attribute__((weak));
void* gpusched_dlsym(void*, const char*) __asm__("dlsym") __attribute__((weak));
char* gpusched_dlerror(void) __asm__("dlerror") __attribute__((weak));
}

/// Of the objects compiled with GPUSCHED_TELEMETRY only: not in a function that all objects share.
#ifdef GPUSCHED_TELEMETRY
#define GPUSCHED_FORM_FLAGS GPUSCHED_KERNEL_TELEMETRY
#else
#define GPUSCHED_FORM_FLAGS 0u
#endif

/// Shared state; constant-initialised, so usable from other static constructors.
struct gpusched_program_state {
  gpusched_rt_launch_function launch; ///< null: native launches only
  struct gpusched_kernel* kernels;    ///< list that the registrars push to
};

extern "C" {
__attribute__((visibility("hidden"))) int
gpusched_first_launch(const struct gpusched_launch_request* request, int* error);
extern __attribute__((visibility("hidden"))) struct gpusched_program_state gpusched_program;
}
__attribute__((weak)) struct gpusched_program_state gpusched_program = {gpusched_first_launch,
                                                                        nullptr};

/// The runtime's entry, or null. `*why` names what went wrong when GPUSCHED asked for a runtime.
GPUSCHED_SHARED GPUSCHED_ONCE gpusched_rt_launch_function gpusched_find_runtime(const char** why) {
  *why = nullptr;
  const char* const policy = getenv("GPUSCHED");
  if (!policy || !*policy || !strcmp(policy, "0") || !strcmp(policy, "native"))
    return nullptr;
  if (!gpusched_dlopen || !gpusched_dlsym) {
    *why = "this program has no dlopen";
    return nullptr;
  }
  const char* const path = getenv("GPUSCHED_RT");
  void* const library =
      gpusched_dlopen(path && *path ? path : "libgpusched_rt.so", 2 /* RTLD_NOW */);
  void* const entry = library ? gpusched_dlsym(library, GPUSCHED_RT_LAUNCH_SYMBOL) : nullptr;
  if (!entry)
    *why = gpusched_dlerror ? gpusched_dlerror() : "dlopen failed";
  gpusched_rt_launch_function launch = nullptr;
  memcpy(&launch, &entry, sizeof launch);
  return launch;
}

GPUSCHED_SHARED GPUSCHED_ONCE int
gpusched_first_launch(const struct gpusched_launch_request* request, int* error) {
  const char* why = nullptr;
  gpusched_rt_launch_function found = gpusched_find_runtime(&why);
  struct gpusched_launch_request marked = *request;
  marked.first = 1;
  // Before the runtime's entry is stored, so that no launch without the mark comes earlier.
  const int made = found ? found(&marked, error) : 0;
  gpusched_rt_launch_function first = gpusched_first_launch;
  const bool stored = __atomic_compare_exchange_n(&gpusched_program.launch, &first, found, false,
                                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  if (stored && why)
    fprintf(stderr,
            "gpusched: no runtime (%s); kernels launch natively. Set GPUSCHED_RT to the path of "
            "libgpusched_rt.so, or unset GPUSCHED.\n",
            why);
  return made;
}

namespace gpusched {

/// Offers a launch to the runtime, if there is one; true when it was made, with *error.
static inline bool offer(const void* function, dim3 grid, dim3 block, void** arguments,
                         size_t sharedBytes, cudaStream_t stream, cudaError_t* error) {
  const gpusched_rt_launch_function launch =
      __atomic_load_n(&gpusched_program.launch, __ATOMIC_ACQUIRE);
  if (__builtin_expect(launch == nullptr, 1))
    return false;
  gpusched_launch_request request;
  memset(&request, 0, sizeof request);
  request.abi_version = GPUSCHED_ABI_VERSION;
  request.function = function;
  request.grid.x = grid.x, request.grid.y = grid.y, request.grid.z = grid.z;
  request.block.x = block.x, request.block.y = block.y, request.block.z = block.z;
  request.arguments = arguments;
  request.sharedBytes = sharedBytes;
  request.stream = stream;
  request.kernels = __atomic_load_n(&gpusched_program.kernels, __ATOMIC_ACQUIRE);
  request.cudart = &cudart();
  int code = 0;
  const bool made = launch(&request, &code) != 0;
  *error = static_cast<cudaError_t>(code);
  return made;
}

/// True when every attribute may be left out: a launch that may begin before the one in front of
/// it has ended may as well begin after it. Clusters, priorities, cooperation stay CUDA's own.
static inline bool attributesMayGo(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id != cudaLaunchAttributeIgnore &&
        config.attrs[i].id != cudaLaunchAttributeProgrammaticStreamSerialization)
      return false;
  return true;
}

} // namespace gpusched

/// Every launch of an object compiled by gpusched-cc; the signature is cudaLaunchKernel's.
GPUSCHED_SHARED cudaError_t GPUSCHED_LAUNCH(const void* function, dim3 grid, dim3 block,
                                            void** arguments, size_t sharedBytes,
                                            cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  if (gpusched::offer(function, grid, block, arguments, sharedBytes, stream, &error))
    return error;
  return gpusched_native_launch(function, grid, block, arguments, sharedBytes, stream);
}

/// The same for cudaLaunchKernelExC, and with it the template cudaLaunchKernelEx.
GPUSCHED_SHARED cudaError_t GPUSCHED_LAUNCH_EX(const cudaLaunchConfig_t* config,
                                               const void* function, void** arguments) {
  cudaError_t error = cudaSuccess;
  if (config && gpusched::attributesMayGo(*config) &&
      gpusched::offer(function, config->gridDim, config->blockDim, arguments,
                      config->dynamicSmemBytes, config->stream, &error))
    return error;
  return gpusched_native_launch_ex(config, function, arguments);
}
