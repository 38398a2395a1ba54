// ApiCopy.cpp - cudaMemcpy*, cudaMemset*, and copies to and from symbols.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions without a stream have a _ptds twin that uses the calling thread's default stream;
// the ..Async functions' _ptsz twins are in ApiPerThread.cpp. Peer copies are plain copies: there
// is one device.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/BoxCopy.h"
#include "rt/device/cpu/cudart/CurrentDevice.h"

using namespace gpusched::cudart;

static Plane plane(const void* base, size_t pitch = 0, size_t slice = 0) {
  return {const_cast<void*>(base), pitch, slice};
}

static cudaError_t copyLine(const char* function, void* to, const void* from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t handle, Blocking blocking) {
  return streamCall(function, handle, [&](Runtime& runtime, const StreamRef& stream) {
    return copyBox(runtime, stream, plane(to), plane(from), {bytes, 1, 1}, kind, blocking);
  });
}

GPUSCHED_API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copyLine("cudaMemcpy", to, from, bytes, kind, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpy_ptds(void* to, const void* from, size_t bytes,
                                         cudaMemcpyKind kind) {
  return copyLine("cudaMemcpy", to, from, bytes, kind, cudaStreamPerThread, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes,
                                         cudaMemcpyKind kind, cudaStream_t stream) {
  return copyLine("cudaMemcpyAsync", to, from, bytes, kind, stream, Blocking::No);
}

GPUSCHED_API cudaError_t cudaMemcpyPeer(void* to, int toDevice, const void* from, int fromDevice,
                                        size_t bytes) {
  if (!isDevice(toDevice) || !isDevice(fromDevice))
    return recordError("cudaMemcpyPeer", cudaErrorInvalidDevice);
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

GPUSCHED_API cudaError_t cudaMemcpyPeerAsync(void* to, int toDevice, const void* from,
                                             int fromDevice, size_t bytes, cudaStream_t stream) {
  if (!isDevice(toDevice) || !isDevice(fromDevice))
    return recordError("cudaMemcpyPeerAsync", cudaErrorInvalidDevice);
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

struct Pitched {
  void* to;
  size_t toPitch;
  const void* from;
  size_t fromPitch, width, height;
};

static cudaError_t copyRows(const char* function, const Pitched& rows, cudaMemcpyKind kind,
                            cudaStream_t handle, Blocking blocking) {
  return streamCall(function, handle, [&](Runtime& runtime, const StreamRef& stream) {
    if (rows.width > rows.toPitch || rows.width > rows.fromPitch)
      return cudaErrorInvalidPitchValue;
    return copyBox(runtime, stream, plane(rows.to, rows.toPitch), plane(rows.from, rows.fromPitch),
                   {rows.width, rows.height, 1}, kind, blocking);
  });
}

GPUSCHED_API cudaError_t cudaMemcpy2D(void* to, size_t toPitch, const void* from, size_t fromPitch,
                                      size_t width, size_t height, cudaMemcpyKind kind) {
  return copyRows("cudaMemcpy2D", {to, toPitch, from, fromPitch, width, height}, kind,
                  cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpy2D_ptds(void* to, size_t toPitch, const void* from,
                                           size_t fromPitch, size_t width, size_t height,
                                           cudaMemcpyKind kind) {
  return copyRows("cudaMemcpy2D", {to, toPitch, from, fromPitch, width, height}, kind,
                  cudaStreamPerThread, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpy2DAsync(void* to, size_t toPitch, const void* from,
                                           size_t fromPitch, size_t width, size_t height,
                                           cudaMemcpyKind kind, cudaStream_t stream) {
  return copyRows("cudaMemcpy2DAsync", {to, toPitch, from, fromPitch, width, height}, kind, stream,
                  Blocking::No);
}

static cudaError_t copy3D(const char* function, const cudaMemcpy3DParms* parameters,
                          cudaStream_t handle, Blocking blocking) {
  return streamCall(function, handle, [&](Runtime& runtime, const StreamRef& stream) {
    if (!parameters)
      return cudaErrorInvalidValue;
    BoxCopy box;
    if (cudaError_t error = boxOf(runtime, *parameters, box); error != cudaSuccess)
      return error;
    return copyBox(runtime, stream, box.to, box.from, box.extent, parameters->kind, blocking);
  });
}

GPUSCHED_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return copy3D("cudaMemcpy3D", parameters, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms* parameters) {
  return copy3D("cudaMemcpy3D", parameters, cudaStreamPerThread, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters,
                                           cudaStream_t stream) {
  return copy3D("cudaMemcpy3DAsync", parameters, stream, Blocking::No);
}

static cudaError_t copy3DPeer(const char* function, const cudaMemcpy3DPeerParms* parameters,
                              cudaStream_t stream, Blocking blocking) {
  if (!parameters)
    return recordError(function, cudaErrorInvalidValue);
  if (!isDevice(parameters->srcDevice) || !isDevice(parameters->dstDevice))
    return recordError(function, cudaErrorInvalidDevice);
  cudaMemcpy3DParms same{};
  same.srcArray = parameters->srcArray;
  same.srcPos = parameters->srcPos;
  same.srcPtr = parameters->srcPtr;
  same.dstArray = parameters->dstArray;
  same.dstPos = parameters->dstPos;
  same.dstPtr = parameters->dstPtr;
  same.extent = parameters->extent;
  same.kind = cudaMemcpyDeviceToDevice;
  return copy3D(function, &same, stream, blocking);
}

GPUSCHED_API cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
  return copy3DPeer("cudaMemcpy3DPeer", parameters, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpy3DPeer_ptds(const cudaMemcpy3DPeerParms* parameters) {
  return copy3DPeer("cudaMemcpy3DPeer", parameters, cudaStreamPerThread, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters,
                                               cudaStream_t stream) {
  return copy3DPeer("cudaMemcpy3DPeerAsync", parameters, stream, Blocking::No);
}

static cudaError_t fill(const char* function, const Plane& to, int value, const BoxExtent& extent,
                        cudaStream_t handle, Blocking blocking) {
  return streamCall(function, handle, [&](Runtime& runtime, const StreamRef& stream) {
    return fillBox(runtime, stream, to, value, extent, blocking);
  });
}

GPUSCHED_API cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return fill("cudaMemset", plane(to), value, {bytes, 1, 1}, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemset_ptds(void* to, int value, size_t bytes) {
  return fill("cudaMemset", plane(to), value, {bytes, 1, 1}, cudaStreamPerThread, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return fill("cudaMemsetAsync", plane(to), value, {bytes, 1, 1}, stream, Blocking::No);
}

GPUSCHED_API cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width,
                                      size_t height) {
  return fill("cudaMemset2D", plane(to, pitch), value, {width, height, 1}, cudaStreamLegacy,
              Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemset2D_ptds(void* to, size_t pitch, int value, size_t width,
                                           size_t height) {
  return fill("cudaMemset2D", plane(to, pitch), value, {width, height, 1}, cudaStreamPerThread,
              Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width,
                                           size_t height, cudaStream_t stream) {
  return fill("cudaMemset2DAsync", plane(to, pitch), value, {width, height, 1}, stream,
              Blocking::No);
}

static cudaError_t fill3D(const char* function, const cudaPitchedPtr& to, int value,
                          const cudaExtent& extent, cudaStream_t stream, Blocking blocking) {
  return fill(function, plane(to.ptr, to.pitch, to.pitch * to.ysize), value,
              {extent.width, extent.height, extent.depth}, stream, blocking);
}

GPUSCHED_API cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill3D("cudaMemset3D", to, value, extent, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemset3D_ptds(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill3D("cudaMemset3D", to, value, extent, cudaStreamPerThread, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                                           cudaStream_t stream) {
  return fill3D("cudaMemset3DAsync", to, value, extent, stream, Blocking::No);
}

/// Attributes are hints about the order of access to the source.
GPUSCHED_API cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from,
                                              const size_t* bytes, size_t count,
                                              cudaMemcpyAttributes*, size_t*, size_t,
                                              cudaStream_t stream) {
  for (size_t i = 0; i < count; ++i)
    if (cudaError_t error = cudaMemcpyAsync(to[i], from[i], bytes[i], cudaMemcpyDefault, stream);
        error != cudaSuccess)
      return error;
  return cudaSuccess;
}
