// DriverMemory.cpp - driver functions: memory, copies and fills.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/BoxCopy.h"
#include "rt/device/cpu/cudart/DriverCall.h"

#include <algorithm>
#include <cstring>

using namespace gpusched::cudart;

GPUSCHED_DRIVER cuMemAlloc(CUdeviceptr* address, size_t bytes) {
  return bytes == 0 ? CUDA_ERROR_INVALID_VALUE
                    : driverResult(cudaMalloc(reinterpret_cast<void**>(address), bytes));
}

GPUSCHED_DRIVER cuMemAllocPitch(CUdeviceptr* address, size_t* pitch, size_t width, size_t height,
                                unsigned) {
  return driverResult(cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height));
}

GPUSCHED_DRIVER cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned flags) {
  return driverResult(cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags));
}

GPUSCHED_DRIVER cuMemFree(CUdeviceptr address) {
  return driverResult(cudaFree(hostPointer(address)));
}

GPUSCHED_DRIVER cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  return driverResult(cudaMallocAsync(reinterpret_cast<void**>(address), bytes, stream));
}

GPUSCHED_DRIVER cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return driverResult(cudaFreeAsync(hostPointer(address), stream));
}

GPUSCHED_DRIVER cuMemAllocHost(void** pointer, size_t bytes) {
  return driverResult(cudaMallocHost(pointer, bytes));
}

GPUSCHED_DRIVER cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return driverResult(cudaHostAlloc(pointer, bytes, flags));
}

GPUSCHED_DRIVER cuMemFreeHost(void* pointer) {
  return driverResult(cudaFreeHost(pointer));
}

GPUSCHED_DRIVER cuMemHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return driverResult(cudaHostRegister(pointer, bytes, flags));
}

GPUSCHED_DRIVER cuMemHostUnregister(void* pointer) {
  return driverResult(cudaHostUnregister(pointer));
}

GPUSCHED_DRIVER cuMemHostGetDevicePointer(CUdeviceptr* address, void* host, unsigned flags) {
  return driverResult(cudaHostGetDevicePointer(reinterpret_cast<void**>(address), host, flags));
}

GPUSCHED_DRIVER cuMemGetInfo(size_t* free, size_t* total) {
  return driverResult(cudaMemGetInfo(free, total));
}

GPUSCHED_DRIVER cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  return driverResult(apiCall("cuMemGetAddressRange", [&](Runtime& runtime) {
    std::optional<gpusched::cpu::Allocation> found = runtime.memory().find(hostPointer(address));
    if (!found)
      return cudaErrorSymbolNotFound;
    if (base)
      *base = reinterpret_cast<CUdeviceptr>(found->base);
    if (bytes)
      *bytes = found->bytes;
    return cudaSuccess;
  }));
}

// Copies. The ones that name no direction find it out.

GPUSCHED_DRIVER cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return driverResult(cudaMemcpy(hostPointer(to), hostPointer(from), bytes, cudaMemcpyDefault));
}

GPUSCHED_DRIVER cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return driverResult(cudaMemcpy(hostPointer(to), from, bytes, cudaMemcpyHostToDevice));
}

GPUSCHED_DRIVER cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return driverResult(cudaMemcpy(to, hostPointer(from), bytes, cudaMemcpyDeviceToHost));
}

GPUSCHED_DRIVER cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return driverResult(
      cudaMemcpy(hostPointer(to), hostPointer(from), bytes, cudaMemcpyDeviceToDevice));
}

GPUSCHED_DRIVER cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return driverResult(
      cudaMemcpyAsync(hostPointer(to), hostPointer(from), bytes, cudaMemcpyDefault, stream));
}

GPUSCHED_DRIVER cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return driverResult(
      cudaMemcpyAsync(hostPointer(to), from, bytes, cudaMemcpyHostToDevice, stream));
}

GPUSCHED_DRIVER cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return driverResult(
      cudaMemcpyAsync(to, hostPointer(from), bytes, cudaMemcpyDeviceToHost, stream));
}

GPUSCHED_DRIVER cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return driverResult(
      cudaMemcpyAsync(hostPointer(to), hostPointer(from), bytes, cudaMemcpyDeviceToDevice, stream));
}

namespace {
/// One side of a CUDA_MEMCPY2D or CUDA_MEMCPY3D.
struct Side {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  size_t x, y, z, pitch, height;
};
} // namespace

static cudaError_t planeOf(Runtime& runtime, const Side& side, const BoxExtent& extent,
                           Plane& plane) {
  if (side.type == CU_MEMORYTYPE_ARRAY)
    return arrayPart(runtime, reinterpret_cast<cudaArray_const_t>(side.array),
                     {side.x, side.y, side.z}, extent, plane);
  const void* base = side.type == CU_MEMORYTYPE_HOST ? side.host : hostPointer(side.device);
  const size_t pitch = side.pitch ? side.pitch : extent.width;
  const size_t slice = pitch * (side.height ? side.height : extent.height);
  plane = {static_cast<char*>(const_cast<void*>(base)) + side.z * slice + side.y * pitch + side.x,
           pitch, slice};
  return pitch < extent.width ? cudaErrorInvalidPitchValue : cudaSuccess;
}

static CUresult copySides(const char* function, const Side& to, const Side& from,
                          const BoxExtent& extent, CUstream handle, Blocking blocking) {
  return driverResult(streamCall(function, handle, [&](Runtime& runtime, const StreamRef& stream) {
    Plane target, source;
    if (cudaError_t error = planeOf(runtime, to, extent, target); error != cudaSuccess)
      return error;
    if (cudaError_t error = planeOf(runtime, from, extent, source); error != cudaSuccess)
      return error;
    return copyBox(runtime, stream, target, source, extent, cudaMemcpyDefault, blocking);
  }));
}

static CUresult copy2D(const char* function, const CUDA_MEMCPY2D& copy, CUstream stream,
                       Blocking blocking) {
  return copySides(function,
                   {copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray,
                    copy.dstXInBytes, copy.dstY, 0, copy.dstPitch, 0},
                   {copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcArray,
                    copy.srcXInBytes, copy.srcY, 0, copy.srcPitch, 0},
                   {copy.WidthInBytes, copy.Height, 1}, stream, blocking);
}

GPUSCHED_DRIVER cuMemcpy2D(const CUDA_MEMCPY2D* copy) {
  return copy2D("cuMemcpy2D", *copy, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_DRIVER cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* copy) {
  return cuMemcpy2D(copy);
}

GPUSCHED_DRIVER cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return copy2D("cuMemcpy2DAsync", *copy, stream, Blocking::No);
}

static CUresult copy3D(const char* function, const CUDA_MEMCPY3D& copy, CUstream stream,
                       Blocking blocking) {
  return copySides(function,
                   {copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray,
                    copy.dstXInBytes, copy.dstY, copy.dstZ, copy.dstPitch, copy.dstHeight},
                   {copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcArray,
                    copy.srcXInBytes, copy.srcY, copy.srcZ, copy.srcPitch, copy.srcHeight},
                   {copy.WidthInBytes, copy.Height, copy.Depth}, stream, blocking);
}

GPUSCHED_DRIVER cuMemcpy3D(const CUDA_MEMCPY3D* copy) {
  return copy3D("cuMemcpy3D", *copy, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_DRIVER cuMemcpy3DAsync(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return copy3D("cuMemcpy3DAsync", *copy, stream, Blocking::No);
}

// Fills.

template <class Word>
static CUresult fill(const char* function, CUdeviceptr to, Word value, size_t words,
                     CUstream handle, Blocking blocking) {
  return driverResult(streamCall(function, handle, [&](Runtime& runtime, const StreamRef& stream) {
    std::optional<gpusched::cpu::Allocation> found = runtime.memory().find(hostPointer(to));
    if (!found || to % sizeof(Word) ||
        to + words * sizeof(Word) > reinterpret_cast<CUdeviceptr>(found->base) + found->bytes)
      return cudaErrorInvalidValue;
    Word* first = static_cast<Word*>(hostPointer(to));
    return runFill(runtime, stream, gpusched::cpu::isOnDevice(found->kind), blocking,
                   [first, words, value] { std::fill_n(first, words, value); });
  }));
}

GPUSCHED_DRIVER cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill("cuMemsetD8", to, value, count, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_DRIVER cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill("cuMemsetD16", to, value, count, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_DRIVER cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return fill("cuMemsetD32", to, value, count, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_DRIVER cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                                CUstream stream) {
  return fill("cuMemsetD8Async", to, value, count, stream, Blocking::No);
}

GPUSCHED_DRIVER cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill("cuMemsetD32Async", to, value, count, stream, Blocking::No);
}

GPUSCHED_DRIVER cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                                 CUstream stream) {
  return fill("cuMemsetD16Async", to, value, count, stream, Blocking::No);
}

/// Rows `pitch` bytes apart.
template <class Word>
static CUresult fillRows(const char* function, CUdeviceptr to, size_t pitch, Word value,
                         size_t width, size_t height, CUstream stream, Blocking blocking) {
  for (size_t y = 0; y < height; ++y)
    if (const CUresult error = fill(function, to + y * pitch, value, width, stream, blocking);
        error != CUDA_SUCCESS)
      return error;
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                             size_t height) {
  return fillRows("cuMemsetD2D8", to, pitch, value, width, height, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_DRIVER cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                              size_t height) {
  return fillRows("cuMemsetD2D16", to, pitch, value, width, height, cudaStreamLegacy,
                  Blocking::Yes);
}

GPUSCHED_DRIVER cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                              size_t height) {
  return fillRows("cuMemsetD2D32", to, pitch, value, width, height, cudaStreamLegacy,
                  Blocking::Yes);
}

GPUSCHED_DRIVER cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                                  size_t height, CUstream stream) {
  return fillRows("cuMemsetD2D8Async", to, pitch, value, width, height, stream, Blocking::No);
}

GPUSCHED_DRIVER cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                                   size_t height, CUstream stream) {
  return fillRows("cuMemsetD2D16Async", to, pitch, value, width, height, stream, Blocking::No);
}

GPUSCHED_DRIVER cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                                   size_t height, CUstream stream) {
  return fillRows("cuMemsetD2D32Async", to, pitch, value, width, height, stream, Blocking::No);
}

// Copies between devices, which share one memory.

GPUSCHED_DRIVER cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
  return cuMemcpyDtoD(to, from, bytes);
}

GPUSCHED_DRIVER cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                                  size_t bytes, CUstream stream) {
  return cuMemcpyDtoDAsync(to, from, bytes, stream);
}
