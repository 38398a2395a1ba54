// BoxCopy.cpp - the box of bytes that a copy with arrays or pitched pointers means.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/BoxCopy.h"

namespace gpusched::cudart {

static bool within(size_t at, size_t length, size_t size) {
  return at <= size && length <= size - at;
}

/// `at.x` and `extent.width` are bytes.
static cudaError_t arrayBox(const Array& array, const cudaPos& at, const BoxExtent& extent,
                            Plane& plane) {
  const cpu::ImageLevel& level = array.level;
  if (!within(at.x, extent.width, level.pitch) || !within(at.y, extent.height, level.height) ||
      !within(at.z, extent.depth, level.depth))
    return cudaErrorInvalidValue;
  plane = {level.row(int64_t(at.y), int64_t(at.z)) + at.x, level.pitch, level.slice};
  return cudaSuccess;
}

static Plane pitchedBox(const cudaPitchedPtr& pointer, const cudaPos& at) {
  size_t slice = pointer.pitch * pointer.ysize;
  char* base = static_cast<char*>(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x;
  return {base, pointer.pitch, slice};
}

cudaError_t boxOf(Runtime& runtime, const cudaMemcpy3DParms& parameters, BoxCopy& box) {
  const Array* from = runtime.arrays.find(parameters.srcArray);
  const Array* to = runtime.arrays.find(parameters.dstArray);
  if ((parameters.srcArray && !from) || (parameters.dstArray && !to))
    return cudaErrorInvalidValue;
  size_t texel = 1;
  if (from || to)
    texel = (from ? from : to)->format.texel.bytes();
  if (from && to && from->format.texel.bytes() != to->format.texel.bytes())
    return cudaErrorInvalidValue;
  const cudaExtent& extent = parameters.extent;
  box.extent = {extent.width * texel, extent.height, extent.depth};
  const auto side = [&](const Array* array, const cudaPitchedPtr& pointer, cudaPos at,
                        Plane& plane) {
    if (!array) {
      plane = pitchedBox(pointer, at);
      return cudaSuccess;
    }
    at.x *= texel;
    return arrayBox(*array, at, box.extent, plane);
  };
  if (cudaError_t error = side(from, parameters.srcPtr, parameters.srcPos, box.from);
      error != cudaSuccess)
    return error;
  return side(to, parameters.dstPtr, parameters.dstPos, box.to);
}

cudaError_t arrayPart(Runtime& runtime, cudaArray_const_t array, const cudaPos& at,
                      const BoxExtent& extent, Plane& plane) {
  const Array* found = runtime.arrays.find(array);
  return found ? arrayBox(*found, at, extent, plane) : cudaErrorInvalidValue;
}

cudaError_t arrayRectangle(Runtime& runtime, cudaArray_const_t array, size_t xBytes, size_t y,
                           const BoxExtent& extent, Plane& plane) {
  return arrayPart(runtime, array, {xBytes, y, 0}, extent, plane);
}

cudaError_t arrayLine(Runtime& runtime, cudaArray_const_t array, size_t xBytes, size_t y,
                      size_t bytes, Plane& plane) {
  const Array* found = runtime.arrays.find(array);
  if (!found || xBytes > found->level.pitch || y >= found->level.height)
    return cudaErrorInvalidValue;
  size_t offset = y * found->level.pitch + xBytes;
  if (!within(offset, bytes, found->bytes()))
    return cudaErrorInvalidValue;
  plane = {found->level.base + offset, 0, 0};
  return cudaSuccess;
}

} // namespace gpusched::cudart
