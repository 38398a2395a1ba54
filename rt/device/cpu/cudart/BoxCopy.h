// BoxCopy.h - the box of bytes that a copy with arrays or pitched pointers means.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As CUDA counts: positions in an array are texels, in pitched memory bytes; the extent is texels
// as soon as one side is an array, else bytes. cudaMemcpy*Array takes byte offsets instead.
#pragma once

#include "rt/device/cpu/cudart/Copy.h"

namespace gpusched::cudart {

struct BoxCopy {
  Plane to, from;
  BoxExtent extent; // bytes
};

/// cudaErrorInvalidValue when the box leaves an array.
cudaError_t boxOf(Runtime& runtime, const cudaMemcpy3DParms& parameters, BoxCopy& box);

/// One layer's rectangle of `array`, offsets and extent in bytes.
cudaError_t arrayRectangle(Runtime& runtime, cudaArray_const_t array, size_t xBytes, size_t y,
                           const BoxExtent& extent, Plane& plane);

/// A box of `array`; `at.x` and `extent.width` are bytes.
cudaError_t arrayPart(Runtime& runtime, cudaArray_const_t array, const cudaPos& at,
                      const BoxExtent& extent, Plane& plane);

/// `bytes` of `array` from there on, one row after the other.
cudaError_t arrayLine(Runtime& runtime, cudaArray_const_t array, size_t xBytes, size_t y,
                      size_t bytes, Plane& plane);

} // namespace gpusched::cudart
