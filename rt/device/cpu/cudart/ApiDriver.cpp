// ApiDriver.cpp - finding driver functions by name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program reaches a driver function in three ways, and gets ours in each: linked with libcuda
// (`gpusched run` preloads a library of that soname; the functions are exported from here),
// through cuGetProcAddress, through cudaGetDriverEntryPoint. Stream 0 is the legacy stream in all.
#include "rt/device/cpu/cudart/DriverCall.h"

#include <cstring>

using namespace gpusched::cudart;

namespace {
struct EntryPoint {
  const char* name;
  void* function;
};
} // namespace

template <class Function> static void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

/// The operand of # is not expanded, so the name is the one without _v2.
#define GPUSCHED_ENTRY(NAME)                                                                       \
  EntryPoint {                                                                                     \
    #NAME, address(NAME)                                                                           \
  }

static void* findEntryPoint(const char* name) {
  static const EntryPoint kEntryPoints[] = {
      GPUSCHED_ENTRY(cuArray3DCreate),
      GPUSCHED_ENTRY(cuArrayCreate),
      GPUSCHED_ENTRY(cuArrayDestroy),
      GPUSCHED_ENTRY(cuCtxCreate),
      GPUSCHED_ENTRY(cuCtxDestroy),
      GPUSCHED_ENTRY(cuCtxGetApiVersion),
      GPUSCHED_ENTRY(cuCtxGetCurrent),
      GPUSCHED_ENTRY(cuCtxGetDevice),
      GPUSCHED_ENTRY(cuCtxGetFlags),
      GPUSCHED_ENTRY(cuCtxGetId),
      GPUSCHED_ENTRY(cuCtxGetLimit),
      GPUSCHED_ENTRY(cuCtxGetStreamPriorityRange),
      GPUSCHED_ENTRY(cuCtxPopCurrent),
      GPUSCHED_ENTRY(cuCtxPushCurrent),
      GPUSCHED_ENTRY(cuCtxSetCacheConfig),
      GPUSCHED_ENTRY(cuCtxSetCurrent),
      GPUSCHED_ENTRY(cuCtxSetLimit),
      GPUSCHED_ENTRY(cuCtxSynchronize),
      GPUSCHED_ENTRY(cuDeviceCanAccessPeer),
      GPUSCHED_ENTRY(cuDeviceGet),
      GPUSCHED_ENTRY(cuDeviceGetAttribute),
      GPUSCHED_ENTRY(cuDeviceGetCount),
      GPUSCHED_ENTRY(cuDeviceGetName),
      GPUSCHED_ENTRY(cuDeviceGetPCIBusId),
      GPUSCHED_ENTRY(cuDeviceGetUuid),
      GPUSCHED_ENTRY(cuDevicePrimaryCtxGetState),
      GPUSCHED_ENTRY(cuDevicePrimaryCtxRelease),
      GPUSCHED_ENTRY(cuDevicePrimaryCtxReset),
      GPUSCHED_ENTRY(cuDevicePrimaryCtxRetain),
      GPUSCHED_ENTRY(cuDeviceTotalMem),
      GPUSCHED_ENTRY(cuDriverGetVersion),
      GPUSCHED_ENTRY(cuEventCreate),
      GPUSCHED_ENTRY(cuEventDestroy),
      GPUSCHED_ENTRY(cuEventElapsedTime),
      GPUSCHED_ENTRY(cuEventQuery),
      GPUSCHED_ENTRY(cuEventRecord),
      GPUSCHED_ENTRY(cuEventSynchronize),
      GPUSCHED_ENTRY(cuFuncGetAttribute),
      GPUSCHED_ENTRY(cuFuncGetName),
      GPUSCHED_ENTRY(cuFuncSetAttribute),
      GPUSCHED_ENTRY(cuFuncSetCacheConfig),
      GPUSCHED_ENTRY(cuGetErrorName),
      GPUSCHED_ENTRY(cuGetErrorString),
      GPUSCHED_ENTRY(cuGetProcAddress),
      GPUSCHED_ENTRY(cuInit),
      GPUSCHED_ENTRY(cuLaunchCooperativeKernel),
      GPUSCHED_ENTRY(cuLaunchHostFunc),
      GPUSCHED_ENTRY(cuLaunchKernel),
      GPUSCHED_ENTRY(cuLinkAddData),
      GPUSCHED_ENTRY(cuLinkComplete),
      GPUSCHED_ENTRY(cuLinkCreate),
      GPUSCHED_ENTRY(cuLinkDestroy),
      GPUSCHED_ENTRY(cuMemAlloc),
      GPUSCHED_ENTRY(cuMemAllocAsync),
      GPUSCHED_ENTRY(cuMemAllocHost),
      GPUSCHED_ENTRY(cuMemAllocManaged),
      GPUSCHED_ENTRY(cuMemAllocPitch),
      GPUSCHED_ENTRY(cuMemFree),
      GPUSCHED_ENTRY(cuMemFreeAsync),
      GPUSCHED_ENTRY(cuMemFreeHost),
      GPUSCHED_ENTRY(cuMemGetAddressRange),
      GPUSCHED_ENTRY(cuMemGetInfo),
      GPUSCHED_ENTRY(cuMemHostAlloc),
      GPUSCHED_ENTRY(cuMemHostGetDevicePointer),
      GPUSCHED_ENTRY(cuMemHostRegister),
      GPUSCHED_ENTRY(cuMemHostUnregister),
      GPUSCHED_ENTRY(cuMemcpy),
      GPUSCHED_ENTRY(cuMemcpy2D),
      GPUSCHED_ENTRY(cuMemcpy2DAsync),
      GPUSCHED_ENTRY(cuMemcpy2DUnaligned),
      GPUSCHED_ENTRY(cuMemcpy3D),
      GPUSCHED_ENTRY(cuMemcpy3DAsync),
      GPUSCHED_ENTRY(cuMemcpyAsync),
      GPUSCHED_ENTRY(cuMemcpyDtoD),
      GPUSCHED_ENTRY(cuMemcpyDtoDAsync),
      GPUSCHED_ENTRY(cuMemcpyDtoH),
      GPUSCHED_ENTRY(cuMemcpyDtoHAsync),
      GPUSCHED_ENTRY(cuMemcpyHtoD),
      GPUSCHED_ENTRY(cuMemcpyHtoDAsync),
      GPUSCHED_ENTRY(cuMemsetD16),
      GPUSCHED_ENTRY(cuMemsetD32),
      GPUSCHED_ENTRY(cuMemsetD32Async),
      GPUSCHED_ENTRY(cuMemsetD8),
      GPUSCHED_ENTRY(cuMemsetD8Async),
      GPUSCHED_ENTRY(cuModuleGetFunction),
      GPUSCHED_ENTRY(cuModuleGetGlobal),
      GPUSCHED_ENTRY(cuModuleLoad),
      GPUSCHED_ENTRY(cuModuleLoadData),
      GPUSCHED_ENTRY(cuModuleLoadDataEx),
      GPUSCHED_ENTRY(cuModuleLoadFatBinary),
      GPUSCHED_ENTRY(cuModuleUnload),
      GPUSCHED_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor),
      GPUSCHED_ENTRY(cuOccupancyMaxPotentialBlockSize),
      GPUSCHED_ENTRY(cuStreamAddCallback),
      GPUSCHED_ENTRY(cuStreamCreate),
      GPUSCHED_ENTRY(cuStreamCreateWithPriority),
      GPUSCHED_ENTRY(cuStreamDestroy),
      GPUSCHED_ENTRY(cuStreamGetFlags),
      GPUSCHED_ENTRY(cuStreamGetPriority),
      GPUSCHED_ENTRY(cuStreamQuery),
      GPUSCHED_ENTRY(cuStreamSynchronize),
      GPUSCHED_ENTRY(cuStreamWaitEvent),
      GPUSCHED_ENTRY(cuStreamWaitValue32),
      GPUSCHED_ENTRY(cuStreamWaitValue64),
      GPUSCHED_ENTRY(cuStreamWriteValue32),
      GPUSCHED_ENTRY(cuStreamWriteValue64),
      GPUSCHED_ENTRY(cuSurfObjectCreate),
      GPUSCHED_ENTRY(cuSurfObjectDestroy),
      GPUSCHED_ENTRY(cuTensorMapEncodeTiled),
      GPUSCHED_ENTRY(cuTensorMapReplaceAddress),
      GPUSCHED_ENTRY(cuTexObjectCreate),
      GPUSCHED_ENTRY(cuTexObjectDestroy),
  };
  for (const EntryPoint& entry : kEntryPoints)
    if (std::strcmp(entry.name, name) == 0)
      return entry.function;
  return nullptr;
}

GPUSCHED_DRIVER cuGetProcAddress(const char* name, void** function, int, cuuint64_t,
                                 CUdriverProcAddressQueryResult* status) {
  if (!name || !function)
    return CUDA_ERROR_INVALID_VALUE;
  *function = findEntryPoint(name);
  if (status)
    *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/// An unknown name is no error when the caller asked for the status, as in CUDA.
GPUSCHED_API cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function,
                                                          unsigned, unsigned long long,
                                                          cudaDriverEntryPointQueryResult* status) {
  return apiQuery("cudaGetDriverEntryPointByVersion", [&] {
    if (!name || !function)
      return cudaErrorInvalidValue;
    *function = findEntryPoint(name);
    if (status)
      *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return *function || status ? cudaSuccess : cudaErrorSymbolNotFound;
  });
}

GPUSCHED_API cudaError_t cudaGetDriverEntryPoint(const char* name, void** function,
                                                 unsigned long long flags,
                                                 cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}

// The functions handed out take stream 0 as the legacy stream either way.
GPUSCHED_API cudaError_t cudaGetDriverEntryPoint_ptsz(const char* name, void** function,
                                                      unsigned long long flags,
                                                      cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}

GPUSCHED_API cudaError_t cudaGetDriverEntryPointByVersion_ptsz(
    const char* name, void** function, unsigned version, unsigned long long flags,
    cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(name, function, version, flags, status);
}
