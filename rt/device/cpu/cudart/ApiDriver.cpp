// ApiDriver.cpp - the driver functions that programs reach through cudaGetDriverEntryPoint.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They are handed out as pointers and are not exported: a program linked with libcuda itself does
// not run on the cpu device. CUresult and cudaError_t share their values for every code
// used here, and driver handles for streams, events and the device are the runtime's own.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/DeviceProperties.h"
#include "rt/device/cpu/cudart/ErrorText.h"

#include <cuda.h>

#include <atomic>
#include <cstring>

using namespace gpusched::cudart;

static CUresult result(cudaError_t error) {
  return CUresult(error);
}
static void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}

// Errors, device, context.

static CUresult getErrorString(CUresult error, const char** text) {
  *text = errorText(cudaError_t(error)).description;
  return CUDA_SUCCESS;
}

static CUresult getErrorName(CUresult error, const char** text) {
  *text = errorText(cudaError_t(error)).name;
  return CUDA_SUCCESS;
}

static CUresult init(unsigned) {
  return Runtime::instance() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

static CUresult driverGetVersion(int* version) {
  return result(cudaDriverGetVersion(version));
}
static CUresult deviceGetCount(int* count) {
  return result(cudaGetDeviceCount(count));
}

static CUresult deviceGet(CUdevice* device, int ordinal) {
  *device = 0;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult deviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return result(cudaDeviceGetAttribute(value, cudaDeviceAttr(attribute), device));
}

static CUresult deviceGetName(char* name, int length, CUdevice device) {
  cudaDeviceProp properties;
  cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess && length > 0) {
    std::strncpy(name, properties.name, size_t(length) - 1);
    name[length - 1] = 0;
  }
  return result(error);
}

static CUresult deviceTotalMem(size_t* bytes, CUdevice) {
  return result(cudaMemGetInfo(nullptr, bytes));
}

/// The one context has no state of its own; its address is its handle.
static CUcontext onlyContext() {
  static char context;
  return reinterpret_cast<CUcontext>(&context);
}

static CUresult ctxGetCurrent(CUcontext* context) {
  *context = onlyContext();
  return CUDA_SUCCESS;
}

static CUresult ctxSetCurrent(CUcontext) {
  return CUDA_SUCCESS;
}

static CUresult ctxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}

static CUresult ctxSynchronize() {
  return result(cudaDeviceSynchronize());
}

static CUresult primaryCtxRetain(CUcontext* context, CUdevice) {
  return ctxGetCurrent(context);
}
static CUresult primaryCtxRelease(CUdevice) {
  return CUDA_SUCCESS;
}

// Memory, streams, events.

static CUresult memAlloc(CUdeviceptr* address, size_t bytes) {
  return result(cudaMalloc(reinterpret_cast<void**>(address), bytes));
}

static CUresult memFree(CUdeviceptr address) {
  return result(cudaFree(pointer(address)));
}
static CUresult memGetInfo(size_t* free, size_t* total) {
  return result(cudaMemGetInfo(free, total));
}

static CUresult memcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return result(cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream));
}

static CUresult memcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return result(cudaMemcpyAsync(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream));
}

static CUresult memcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return result(cudaMemcpyAsync(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream));
}

static CUresult memsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream) {
  return result(cudaMemsetAsync(pointer(to), value, bytes, stream));
}

static CUresult streamSynchronize(CUstream stream) {
  return result(cudaStreamSynchronize(stream));
}

static CUresult streamQuery(CUstream stream) {
  return result(cudaStreamQuery(stream));
}

static CUresult streamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return result(cudaStreamWaitEvent(stream, event, flags));
}

static CUresult eventRecord(CUevent event, CUstream stream) {
  return result(cudaEventRecord(event, stream));
}

static CUresult eventQuery(CUevent event) {
  return result(cudaEventQuery(event));
}

static CUresult launchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return result(cudaLaunchHostFunc(stream, function, data));
}

static CUresult launchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                             unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared,
                             CUstream stream, void** arguments, void**) {
  return result(cudaLaunchKernel(reinterpret_cast<const void*>(function), dim3(gridX, gridY, gridZ),
                                 dim3(blockX, blockY, blockZ), arguments, shared, stream));
}

// Waiting for and writing words in stream order.

template <class Word> static bool holds(Word now, Word value, unsigned condition) {
  using Signed = std::make_signed_t<Word>;
  switch (condition) {
  case CU_STREAM_WAIT_VALUE_EQ:
    return now == value;
  case CU_STREAM_WAIT_VALUE_AND:
    return (now & value) != 0;
  case CU_STREAM_WAIT_VALUE_NOR:
    return Word(~(now | value)) != 0;
  default:
    return Signed(now - value) >= 0;
  }
}

template <class Word>
static CUresult waitValue(CUstream handle, CUdeviceptr address, Word value, unsigned flags) {
  return result(
      streamCall("cuStreamWaitValue", handle, [&](Runtime& runtime, const StreamRef& stream) {
        if (!address || address % sizeof(Word) != 0)
          return cudaErrorInvalidValue;
        unsigned condition = flags & 3;
        OperationRef operation = makeOperation(Operation::Kind::ValueWait);
        operation->satisfied = [word = static_cast<Word*>(pointer(address)), value, condition] {
          return holds(std::atomic_ref<Word>(*word).load(std::memory_order_acquire), value,
                       condition);
        };
        runtime.streams.append(stream, operation);
        return cudaSuccess;
      }));
}

template <class Word>
static CUresult writeValue(CUstream handle, CUdeviceptr address, Word value, unsigned) {
  return result(
      streamCall("cuStreamWriteValue", handle, [&](Runtime& runtime, const StreamRef& stream) {
        if (!address || address % sizeof(Word) != 0)
          return cudaErrorInvalidValue;
        Word* word = static_cast<Word*>(pointer(address));
        runtime.streams.append(stream, makeOperation(Operation::Kind::Copy, [word, value] {
                                 std::atomic_ref<Word>(*word).store(value,
                                                                    std::memory_order_release);
                               }));
        return cudaSuccess;
      }));
}

namespace {
struct EntryPoint {
  const char* name;
  void* function;
};
} // namespace

template <class Function> static void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

static void* findEntryPoint(const char* name) {
  static const EntryPoint kEntryPoints[] = {
      {"cuGetErrorString", address(getErrorString)},
      {"cuGetErrorName", address(getErrorName)},
      {"cuInit", address(init)},
      {"cuDriverGetVersion", address(driverGetVersion)},
      {"cuDeviceGetCount", address(deviceGetCount)},
      {"cuDeviceGet", address(deviceGet)},
      {"cuDeviceGetAttribute", address(deviceGetAttribute)},
      {"cuDeviceGetName", address(deviceGetName)},
      {"cuDeviceTotalMem", address(deviceTotalMem)},
      {"cuCtxGetCurrent", address(ctxGetCurrent)},
      {"cuCtxSetCurrent", address(ctxSetCurrent)},
      {"cuCtxGetDevice", address(ctxGetDevice)},
      {"cuCtxSynchronize", address(ctxSynchronize)},
      {"cuDevicePrimaryCtxRetain", address(primaryCtxRetain)},
      {"cuDevicePrimaryCtxRelease", address(primaryCtxRelease)},
      {"cuMemAlloc", address(memAlloc)},
      {"cuMemFree", address(memFree)},
      {"cuMemGetInfo", address(memGetInfo)},
      {"cuMemcpyAsync", address(memcpyAsync)},
      {"cuMemcpyDtoDAsync", address(memcpyAsync)},
      {"cuMemcpyHtoDAsync", address(memcpyHtoDAsync)},
      {"cuMemcpyDtoHAsync", address(memcpyDtoHAsync)},
      {"cuMemsetD8Async", address(memsetD8Async)},
      {"cuStreamSynchronize", address(streamSynchronize)},
      {"cuStreamQuery", address(streamQuery)},
      {"cuStreamWaitEvent", address(streamWaitEvent)},
      {"cuEventRecord", address(eventRecord)},
      {"cuEventQuery", address(eventQuery)},
      {"cuLaunchHostFunc", address(launchHostFunc)},
      {"cuLaunchKernel", address(launchKernel)},
      {"cuStreamWaitValue32", address(waitValue<uint32_t>)},
      {"cuStreamWaitValue64", address(waitValue<uint64_t>)},
      {"cuStreamWriteValue32", address(writeValue<uint32_t>)},
      {"cuStreamWriteValue64", address(writeValue<uint64_t>)},
  };
  for (const EntryPoint& entry : kEntryPoints)
    if (std::strcmp(entry.name, name) == 0)
      return entry.function;
  return nullptr;
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
