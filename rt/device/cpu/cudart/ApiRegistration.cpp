// ApiRegistration.cpp - the functions that nvcc's host code calls before main and at launches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before main: __cudaRegisterFatBinary, one __cudaRegisterFunction per kernel, one
// __cudaRegisterVar per variable, __cudaRegisterFatBinaryEnd. At `k<<<g, b, s, st>>>(...)`:
// __cudaPushCallConfiguration, then the host stub pops it and launches. The declarations are
// those of crt/host_runtime.h, which is not a header one can include.
#include "rt/device/cpu/cudart/ApiCall.h"

#include <vector>

using namespace gpusched::cudart;

static RegisteredBinary* binaryOf(void** handle) {
  return reinterpret_cast<RegisteredBinary*>(handle);
}

GPUSCHED_API void** __cudaRegisterFatBinary(void* wrapper) {
  return reinterpret_cast<void**>(Registry::instance().addBinary(wrapper));
}

GPUSCHED_API void __cudaRegisterFatBinaryEnd(void**) {}

/// Modules stay loaded until the process ends: work may still be queued.
GPUSCHED_API void __cudaUnregisterFatBinary(void**) {}

GPUSCHED_API void __cudaRegisterFunction(void** binary, const char* hostFunction, char*,
                                         const char* deviceName, int, uint3*, uint3*, dim3*, dim3*,
                                         int*) {
  Registry::instance().addKernel(binaryOf(binary), hostFunction, deviceName);
}

GPUSCHED_API void __cudaRegisterVar(void** binary, char* hostVariable, char*,
                                    const char* deviceName, int, size_t bytes, int, int) {
  Registry::instance().addVariable(binaryOf(binary), hostVariable, deviceName, bytes, nullptr);
}

GPUSCHED_API void __cudaRegisterManagedVar(void** binary, void** hostPointer, char*,
                                           const char* deviceName, int, size_t bytes, int, int) {
  Registry::instance().addVariable(binaryOf(binary), hostPointer, deviceName, bytes, hostPointer);
}

/// A host-side shadow of a host variable that device code may name: nothing to keep.
GPUSCHED_API void __cudaRegisterHostVar(void**, const char*, char*, size_t) {}

GPUSCHED_API char __cudaInitModule(void** binary) {
  apiCall("__cudaInitModule", [&](Runtime& runtime) {
    return Registry::instance().initialiseManaged(*runtime.gpu, binaryOf(binary));
  });
  return 1;
}

namespace {
struct CallConfiguration {
  dim3 grid, block;
  size_t sharedBytes;
  cudaStream_t stream;
};
/// Nothing to destroy: static destructors launch kernels after the thread's destructors ran.
struct CallConfigurations {
  static constexpr unsigned kDeepest = 32; // launches inside arguments of launches
  CallConfiguration items[kDeepest];
  unsigned count;
};
thread_local CallConfigurations callConfigurations;
} // namespace

GPUSCHED_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes,
                                                  cudaStream_t stream) {
  if (callConfigurations.count == CallConfigurations::kDeepest)
    return 1; // the launch is left out
  callConfigurations.items[callConfigurations.count++] = {grid, block, sharedBytes, stream};
  return 0;
}

GPUSCHED_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* sharedBytes,
                                                    void* stream) {
  if (callConfigurations.count == 0)
    return recordError("__cudaPopCallConfiguration", cudaErrorMissingConfiguration);
  const CallConfiguration& top = callConfigurations.items[--callConfigurations.count];
  *grid = top.grid;
  *block = top.block;
  *sharedBytes = top.sharedBytes;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

GPUSCHED_API cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* function) {
  return apiQuery("__cudaGetKernel", [&] {
    RegisteredKernel* kernel = Registry::instance().findKernel(function);
    if (!kernel)
      return cudaErrorInvalidDeviceFunction;
    *handle = reinterpret_cast<cudaKernel_t>(kernel);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                            void** arguments, size_t sharedBytes,
                                            cudaStream_t stream) {
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments,
                          sharedBytes, stream);
}
