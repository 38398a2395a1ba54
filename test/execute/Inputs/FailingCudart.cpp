// FailingCudart.cpp - a CUDA runtime that fails now and then when gpusched calls it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded in front of a shared cudart. What the program calls is passed on. A call of
// libgpusched_rt, or a launch of a twin, fails with the chance that FAILING_CUDART gives
// ("SEED:PER_MILLE[:NAME,...]"; without names any call): it does nothing, and leaves its error for
// cudaGetLastError, as CUDA does. Not cudaStreamSynchronize: only a broken device fails there.
//
// To be linked with -s: the cpu device takes a file whose symbols name CUDA's functions for a
// program with a static cudart, and redirects them.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <string>

namespace {

constexpr int kSuccess = 0, kOutOfMemory = 2, kOutOfResources = 701, kUnknown = 999;

struct Dim3 {
  unsigned x, y, z;
};

struct Failures {
  std::mutex mutex;
  std::mt19937 random;
  unsigned perMille = 0;
  std::string names; ///< with commas around each; empty: all
  std::set<const void*> twins;

  Failures() {
    const char* const given = std::getenv("FAILING_CUDART");
    if (!given)
      return;
    char* rest = nullptr;
    random.seed(unsigned(std::strtoul(given, &rest, 10)));
    perMille = unsigned(std::strtoul(rest + 1, &rest, 10));
    names = *rest == ':' ? "," + std::string(rest + 1) + "," : "";
  }

  bool comes(const char* name) {
    const std::lock_guard<std::mutex> lock(mutex);
    const bool concerned =
        names.empty() || names.find("," + std::string(name) + ",") != std::string::npos;
    return concerned && random() % 1000 < perMille;
  }
};

/// Kernels are registered before main, and calls come when static objects have gone.
Failures& failures() {
  static Failures* const all = new Failures;
  return *all;
}

thread_local int lastError = kSuccess;

int failure(int error) {
  return lastError = error;
}

template <class Function> Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool isOfRuntime(const void* caller) {
  Dl_info info;
  return dladdr(caller, &info) && info.dli_fname &&
         std::strstr(info.dli_fname, "libgpusched_rt") != nullptr;
}

} // namespace

#define FAILING(name, error, parameters, arguments)                                                \
  extern "C" int name parameters {                                                                 \
    static auto* const function = next<int parameters>(#name);                                     \
    if (isOfRuntime(__builtin_return_address(0)) && failures().comes(#name))                       \
      return failure(error);                                                                       \
    return function arguments;                                                                     \
  }

FAILING(cudaGetDevice, kUnknown, (int* device), (device))
FAILING(cudaDeviceGetAttribute, kUnknown, (int* value, int name, int device), (value, name, device))
FAILING(cudaFuncGetAttributes, kUnknown, (void* attributes, const void* kernel),
        (attributes, kernel))
FAILING(cudaFuncSetAttribute, kUnknown, (const void* kernel, int attribute, int value),
        (kernel, attribute, value))
FAILING(cudaOccupancyMaxActiveBlocksPerMultiprocessor, kUnknown,
        (int* blocks, const void* kernel, int threads, size_t bytes),
        (blocks, kernel, threads, bytes))
FAILING(cudaMalloc, kOutOfMemory, (void** memory, size_t bytes), (memory, bytes))
FAILING(cudaFree, kUnknown, (void* memory), (memory))
FAILING(cudaMallocHost, kOutOfMemory, (void** memory, size_t bytes), (memory, bytes))
FAILING(cudaFreeHost, kUnknown, (void* memory), (memory))
FAILING(cudaMemcpyAsync, kUnknown,
        (void* to, const void* from, size_t bytes, int kind, void* stream),
        (to, from, bytes, kind, stream))
FAILING(cudaStreamCreateWithFlags, kOutOfMemory, (void** stream, unsigned flags), (stream, flags))
FAILING(cudaStreamIsCapturing, kUnknown, (void* stream, int* status), (stream, status))
FAILING(cudaStreamWaitEvent, kUnknown, (void* stream, void* event, unsigned flags),
        (stream, event, flags))
FAILING(cudaStreamGetPriority, kUnknown, (void* stream, int* priority), (stream, priority))
FAILING(cudaDeviceGetStreamPriorityRange, kUnknown, (int* least, int* greatest), (least, greatest))
FAILING(cudaEventCreateWithFlags, kOutOfMemory, (void** event, unsigned flags), (event, flags))
FAILING(cudaEventRecord, kUnknown, (void* event, void* stream), (event, stream))
FAILING(cudaEventQuery, kUnknown, (void* event), (event))
FAILING(cudaEventElapsedTime, kUnknown, (float* time, void* from, void* to), (time, from, to))
FAILING(cudaThreadExchangeStreamCaptureMode, kUnknown, (int* mode), (mode))
FAILING(cudaGetFuncBySymbol, kUnknown, (void** function_, const void* kernel), (function_, kernel))
FAILING(cudaLaunchKernelExC, kUnknown, (const void* config, const void* kernel, void** arguments),
        (config, kernel, arguments))

// What the runtime calls in the driver, found by cudaGetDriverEntryPointByVersion. Without a last
// error: it is not CUDA's runtime.
#define FAILING_DRIVER(name, parameters, arguments)                                                \
  static int (*name##Found) parameters = nullptr;                                                  \
  static int name##OrNot parameters {                                                              \
    return failures().comes(#name) ? kUnknown : name##Found arguments;                             \
  }

FAILING_DRIVER(cuEventQuery, (void* event), (event))
FAILING_DRIVER(cuMemcpyAsync, (void* to, const void* from, size_t bytes, void* stream),
               (to, from, bytes, stream))
FAILING_DRIVER(cuStreamCreate, (void** stream, unsigned flags), (stream, flags))
FAILING_DRIVER(cuStreamWaitValue32, (void* stream, size_t address, unsigned value, unsigned flags),
               (stream, address, value, flags))
FAILING_DRIVER(cuCtxSetCurrent, (void* context), (context))

extern "C" int cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                                unsigned version, unsigned long long flags,
                                                int* status) {
  static auto* const find =
      next<decltype(cudaGetDriverEntryPointByVersion)>("cudaGetDriverEntryPointByVersion");
  if (!isOfRuntime(__builtin_return_address(0)))
    return find(symbol, function, version, flags, status);
  if (failures().comes("cudaGetDriverEntryPointByVersion"))
    return failure(kUnknown);
  const int error = find(symbol, function, version, flags, status);
  if (error != kSuccess || !*function)
    return error;
#define WRAP(name)                                                                                 \
  if (std::strcmp(symbol, #name) == 0) {                                                           \
    name##Found = reinterpret_cast<decltype(name##Found)>(*function);                              \
    *function = reinterpret_cast<void*>(name##OrNot);                                              \
  }
  WRAP(cuEventQuery)
  WRAP(cuMemcpyAsync)
  WRAP(cuStreamCreate)
  WRAP(cuStreamWaitValue32)
  WRAP(cuCtxSetCurrent)
#undef WRAP
  return error;
}

extern "C" void __cudaRegisterFunction(void** binary, const char* kernel, char* symbol,
                                       const char* name, int threads, void* thread, void* block,
                                       void* blockSize, void* gridSize, int* warp) {
  if (std::strstr(name, "__gs"))
    failures().twins.insert(kernel);
  next<decltype(__cudaRegisterFunction)>("__cudaRegisterFunction")(
      binary, kernel, symbol, name, threads, thread, block, blockSize, gridSize, warp);
}

extern "C" int cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void** arguments,
                                size_t bytes, void* stream) {
  static auto* const launch = next<decltype(cudaLaunchKernel)>("cudaLaunchKernel");
  if (failures().twins.count(kernel) && failures().comes("cudaLaunchKernel"))
    return failure(kOutOfResources);
  return launch(kernel, grid, block, arguments, bytes, stream);
}

extern "C" int cudaPeekAtLastError() {
  static auto* const peek = next<int()>("cudaPeekAtLastError");
  return lastError != kSuccess ? lastError : peek();
}

extern "C" int cudaGetLastError() {
  static auto* const take = next<int()>("cudaGetLastError");
  const int cudas = take(), own = lastError;
  lastError = kSuccess;
  return own != kSuccess ? own : cudas;
}
