// ApiArrayCopy.cpp - cudaMemcpy*ToArray, *FromArray and *ArrayToArray.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets and widths are bytes. Copies of three-dimensional arrays go through cudaMemcpy3D.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/BoxCopy.h"

using namespace gpusched::cudart;

namespace {
/// A side in an array: byte offset and row.
struct ArrayAt {
  cudaArray_const_t array;
  size_t x, y;
};
/// A side in memory.
struct MemoryAt {
  const void* base;
  size_t pitch;
};
/// Rows of an array, or its bytes one row after the other.
enum class Form { Rows, Line };
} // namespace

static cudaError_t planeOf(Runtime& runtime, const ArrayAt& at, const BoxExtent& extent, Form form,
                           Plane& plane) {
  return form == Form::Rows ? arrayRectangle(runtime, at.array, at.x, at.y, extent, plane)
                            : arrayLine(runtime, at.array, at.x, at.y, extent.width, plane);
}

static cudaError_t planeOf(Runtime&, const MemoryAt& at, const BoxExtent& extent, Form form,
                           Plane& plane) {
  plane = {const_cast<void*>(at.base), at.pitch, 0};
  return form == Form::Rows && extent.width > at.pitch ? cudaErrorInvalidPitchValue : cudaSuccess;
}

template <class To, class From>
static cudaError_t copy(const char* function, Form form, const To& to, const From& from,
                        const BoxExtent& extent, cudaMemcpyKind kind, cudaStream_t handle,
                        Blocking blocking = Blocking::Yes) {
  return streamCall(function, handle, [&](Runtime& runtime, const StreamRef& stream) {
    Plane target, source;
    if (cudaError_t error = planeOf(runtime, to, extent, form, target); error != cudaSuccess)
      return error;
    if (cudaError_t error = planeOf(runtime, from, extent, form, source); error != cudaSuccess)
      return error;
    return copyBox(runtime, stream, target, source, extent, kind, blocking);
  });
}

static cudaError_t copyRowsTo(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream,
                              Blocking blocking) {
  return copy("cudaMemcpy2DToArray", Form::Rows, ArrayAt{to, x, y}, MemoryAt{from, pitch},
              {width, height, 1}, kind, stream, blocking);
}

GPUSCHED_API cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from,
                                             size_t pitch, size_t width, size_t height,
                                             cudaMemcpyKind kind) {
  return copyRowsTo(to, x, y, from, pitch, width, height, kind, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t to, size_t x, size_t y,
                                                  const void* from, size_t pitch, size_t width,
                                                  size_t height, cudaMemcpyKind kind) {
  return copyRowsTo(to, x, y, from, pitch, width, height, kind, cudaStreamPerThread, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y,
                                                  const void* from, size_t pitch, size_t width,
                                                  size_t height, cudaMemcpyKind kind,
                                                  cudaStream_t stream) {
  return copyRowsTo(to, x, y, from, pitch, width, height, kind, stream, Blocking::No);
}

GPUSCHED_API cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t to, size_t x, size_t y,
                                                       const void* from, size_t pitch, size_t width,
                                                       size_t height, cudaMemcpyKind kind,
                                                       cudaStream_t stream) {
  return copyRowsTo(to, x, y, from, pitch, width, height, kind, perThread(stream), Blocking::No);
}

static cudaError_t copyRowsFrom(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                size_t width, size_t height, cudaMemcpyKind kind,
                                cudaStream_t stream, Blocking blocking) {
  return copy("cudaMemcpy2DFromArray", Form::Rows, MemoryAt{to, pitch}, ArrayAt{from, x, y},
              {width, height, 1}, kind, stream, blocking);
}

GPUSCHED_API cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from,
                                               size_t x, size_t y, size_t width, size_t height,
                                               cudaMemcpyKind kind) {
  return copyRowsFrom(to, pitch, from, x, y, width, height, kind, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpy2DFromArray_ptds(void* to, size_t pitch, cudaArray_const_t from,
                                                    size_t x, size_t y, size_t width, size_t height,
                                                    cudaMemcpyKind kind) {
  return copyRowsFrom(to, pitch, from, x, y, width, height, kind, cudaStreamPerThread,
                      Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from,
                                                    size_t x, size_t y, size_t width, size_t height,
                                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return copyRowsFrom(to, pitch, from, x, y, width, height, kind, stream, Blocking::No);
}

GPUSCHED_API cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void* to, size_t pitch,
                                                         cudaArray_const_t from, size_t x, size_t y,
                                                         size_t width, size_t height,
                                                         cudaMemcpyKind kind, cudaStream_t stream) {
  return copyRowsFrom(to, pitch, from, x, y, width, height, kind, perThread(stream), Blocking::No);
}

static cudaError_t copyLineTo(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind, cudaStream_t stream, Blocking blocking) {
  return copy("cudaMemcpyToArray", Form::Line, ArrayAt{to, x, y}, MemoryAt{from, 0}, {bytes, 1, 1},
              kind, stream, blocking);
}

GPUSCHED_API cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from,
                                           size_t bytes, cudaMemcpyKind kind) {
  return copyLineTo(to, x, y, from, bytes, kind, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpyToArray_ptds(cudaArray_t to, size_t x, size_t y,
                                                const void* from, size_t bytes,
                                                cudaMemcpyKind kind) {
  return copyLineTo(to, x, y, from, bytes, kind, cudaStreamPerThread, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y,
                                                const void* from, size_t bytes, cudaMemcpyKind kind,
                                                cudaStream_t stream) {
  return copyLineTo(to, x, y, from, bytes, kind, stream, Blocking::No);
}

GPUSCHED_API cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t to, size_t x, size_t y,
                                                     const void* from, size_t bytes,
                                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return copyLineTo(to, x, y, from, bytes, kind, perThread(stream), Blocking::No);
}

static cudaError_t copyLineFrom(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind, cudaStream_t stream, Blocking blocking) {
  return copy("cudaMemcpyFromArray", Form::Line, MemoryAt{to, 0}, ArrayAt{from, x, y},
              {bytes, 1, 1}, kind, stream, blocking);
}

GPUSCHED_API cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y,
                                             size_t bytes, cudaMemcpyKind kind) {
  return copyLineFrom(to, from, x, y, bytes, kind, cudaStreamLegacy, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpyFromArray_ptds(void* to, cudaArray_const_t from, size_t x,
                                                  size_t y, size_t bytes, cudaMemcpyKind kind) {
  return copyLineFrom(to, from, x, y, bytes, kind, cudaStreamPerThread, Blocking::Yes);
}

GPUSCHED_API cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x,
                                                  size_t y, size_t bytes, cudaMemcpyKind kind,
                                                  cudaStream_t stream) {
  return copyLineFrom(to, from, x, y, bytes, kind, stream, Blocking::No);
}

GPUSCHED_API cudaError_t cudaMemcpyFromArrayAsync_ptsz(void* to, cudaArray_const_t from, size_t x,
                                                       size_t y, size_t bytes, cudaMemcpyKind kind,
                                                       cudaStream_t stream) {
  return copyLineFrom(to, from, x, y, bytes, kind, perThread(stream), Blocking::No);
}

GPUSCHED_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t toX, size_t toY,
                                                  cudaArray_const_t from, size_t fromX,
                                                  size_t fromY, size_t width, size_t height,
                                                  cudaMemcpyKind kind) {
  return copy("cudaMemcpy2DArrayToArray", Form::Rows, ArrayAt{to, toX, toY},
              ArrayAt{from, fromX, fromY}, {width, height, 1}, kind, cudaStreamLegacy);
}

GPUSCHED_API cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t to, size_t toX, size_t toY,
                                                       cudaArray_const_t from, size_t fromX,
                                                       size_t fromY, size_t width, size_t height,
                                                       cudaMemcpyKind kind) {
  return copy("cudaMemcpy2DArrayToArray", Form::Rows, ArrayAt{to, toX, toY},
              ArrayAt{from, fromX, fromY}, {width, height, 1}, kind, cudaStreamPerThread);
}

GPUSCHED_API cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t toX, size_t toY,
                                                cudaArray_const_t from, size_t fromX, size_t fromY,
                                                size_t bytes, cudaMemcpyKind kind) {
  return copy("cudaMemcpyArrayToArray", Form::Line, ArrayAt{to, toX, toY},
              ArrayAt{from, fromX, fromY}, {bytes, 1, 1}, kind, cudaStreamLegacy);
}

GPUSCHED_API cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t to, size_t toX, size_t toY,
                                                     cudaArray_const_t from, size_t fromX,
                                                     size_t fromY, size_t bytes,
                                                     cudaMemcpyKind kind) {
  return copy("cudaMemcpyArrayToArray", Form::Line, ArrayAt{to, toX, toY},
              ArrayAt{from, fromX, fromY}, {bytes, 1, 1}, kind, cudaStreamPerThread);
}
