// TensorMap.h - the 128 bytes of a CUtensorMap, as cuTensorMapEncodeTiled of ours fills them and
// tensormap.replace changes them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA leaves them opaque. A box is what one copy moves: box[d] / steps[d] elements, rounded up, of
// each dimension, packed in shared memory with dimension 0 first. Its rows are exchanged in units
// of 16 bytes as SharedTile.h says. Elements outside the tensor are zero, or not written.
#pragma once

#include "rt/device/cpu/ptx/Ir.h"

#include <algorithm>
#include <cstdint>

namespace gpusched::cpu {

struct TensorMap {
  static constexpr unsigned kMostDimensions = 5;
  static constexpr uint64_t kMark = 0x70616d2e736e7467;
  uint64_t mark = 0;   // kMark if these bytes were filled by us
  uint64_t unused = 0; // CUTLASS clears a bit of this word, to work around a driver
  uint64_t address = 0;
  uint64_t sizes[kMostDimensions] = {};   // elements
  uint64_t strides[kMostDimensions] = {}; // bytes; the first is an element's
  uint16_t box[kMostDimensions] = {};
  uint8_t steps[kMostDimensions] = {};
  uint8_t dimensions = 0;
  uint8_t swizzleBits = 0;
  ptx::Type type = ptx::Type::None; // of a reduction

  void setBox(unsigned dimension, uint32_t elements) {
    box[dimension] = static_cast<uint16_t>(std::min<uint32_t>(elements, UINT16_MAX));
  }
  void setStep(unsigned dimension, uint32_t elements) {
    steps[dimension] = static_cast<uint8_t>(std::min<uint32_t>(elements, UINT8_MAX));
  }
  /// Is it within the limits that cuda.h documents? Kernels may have made it.
  bool valid() const;

  unsigned elementBytes() const { return static_cast<unsigned>(strides[0]); }
  /// Of the box. Dimension 0 has no step.
  unsigned count(unsigned dimension) const {
    return dimension ? (box[dimension] + steps[dimension] - 1u) / steps[dimension] : box[0];
  }
};
static_assert(sizeof(TensorMap) <= 128);

inline bool TensorMap::valid() const {
  constexpr uint64_t kUnit = 16, kMostSize = uint64_t(1) << 32, kMostStride = uint64_t(1) << 40;
  constexpr unsigned kMostBox = 256, kMostStep = 8, kMostSwizzleBits = 3, kMostElementBytes = 8;
  if (mark != kMark || !address || address % kUnit || !dimensions || dimensions > kMostDimensions ||
      !strides[0] || strides[0] > kMostElementBytes || swizzleBits > kMostSwizzleBits)
    return false;
  for (unsigned d = 0; d < dimensions; ++d)
    if (!sizes[d] || sizes[d] > kMostSize || !box[d] || box[d] > kMostBox || !steps[d] ||
        steps[d] > kMostStep || (d && (strides[d] % kUnit || strides[d] >= kMostStride)))
      return false;
  const uint64_t row = box[0] * strides[0];
  return row % kUnit == 0 && (!swizzleBits || row <= kUnit << swizzleBits);
}

} // namespace gpusched::cpu
