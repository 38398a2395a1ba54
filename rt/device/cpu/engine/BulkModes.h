// BulkModes.h - what MicroOp::detail of a bulk copy or a change of a tensor map says.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With kBulkReduces the immediate is an AtomicOp << 8 | a ptx::Type. A copy of a tensor's box has
// its number of dimensions above all.
#pragma once

#include <cstdint>

namespace gpusched::cpu {

inline constexpr uint16_t kBulkToShared = 1, kBulkFromShared = 2, kBulkSignals = 4,
                          kBulkMulticast = 8, kBulkReduces = 16;
inline constexpr unsigned kTensorDimensions = 8; // shift

/// What tensormap.replace changes: the low bits of its detail. The dimension is above.
enum class TensorField : uint8_t {
  Address,
  Rank,
  Box, // of a dimension, to Step
  Size,
  Stride,
  Step,
  Element, // a number for a kind, from here
  Interleave,
  Swizzle,
  Fill,
};
inline constexpr uint16_t kTensorFieldMask = 15, kTensorMapShared = 16;
inline constexpr uint32_t kTensorMapBytes = 128;

} // namespace gpusched::cpu
