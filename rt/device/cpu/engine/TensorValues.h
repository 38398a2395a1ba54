// TensorValues.h - elements of matrices as doubles, and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The including file says for which instruction set it is compiled (see HalfBits.h).
#pragma once

#include "rt/device/cpu/engine/EighthBits.h"
#include "rt/device/cpu/engine/TensorOp.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace gpusched::cpu {
namespace {

/// Exact, without the branches of Half::toDouble.
inline double fromHalf(uint16_t bits) {
  const uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  const uint32_t special = (bits & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) | special |
                              uint32_t(bits & 0x8000) << 16);
}
inline double fromBrain(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}
/// The low 13 bits of the fraction are not read.
inline double fromTensorFloat(uint32_t bits) {
  return std::bit_cast<float>(bits & ~uint32_t(0x1fff));
}

inline int32_t toInteger(double value, bool saturate) {
  using Limits = std::numeric_limits<int32_t>;
  if (saturate && value > Limits::max())
    return Limits::max();
  if (saturate && value < Limits::min())
    return Limits::min();
  return static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(value)));
}

template <class T, class Convert>
inline void convertElements(const uint8_t* bytes, unsigned count, double* out, Convert convert) {
  for (unsigned i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof value, sizeof value);
    out[i] = convert(value);
  }
}

/// `count` elements that follow each other in memory; of 8 bits or more, or of one.
inline void toDoubles(TensorElement element, const uint8_t* bytes, unsigned count, double* out) {
  const auto same = [](auto value) -> double { return value; };
  switch (element) {
  case TensorElement::F16:
    return convertElements<uint16_t>(bytes, count, out, fromHalf);
  case TensorElement::BF16:
    return convertElements<uint16_t>(bytes, count, out, fromBrain);
  case TensorElement::TF32:
    return convertElements<uint32_t>(bytes, count, out, fromTensorFloat);
  case TensorElement::F32:
    return convertElements<float>(bytes, count, out, same);
  case TensorElement::S32:
    return convertElements<int32_t>(bytes, count, out, same);
  case TensorElement::S8:
    return convertElements<int8_t>(bytes, count, out, same);
  case TensorElement::U8:
    return convertElements<uint8_t>(bytes, count, out, same);
  case TensorElement::E4M3:
    return convertElements<uint8_t>(bytes, count, out,
                                    [](uint8_t bits) { return plain::E4M3::toDouble(bits); });
  case TensorElement::E5M2:
    return convertElements<uint8_t>(bytes, count, out,
                                    [](uint8_t bits) { return plain::E5M2::toDouble(bits); });
  case TensorElement::B1:
    for (unsigned i = 0; i < count; ++i)
      out[i] = bytes[i / 8] >> i % 8 & 1;
    return;
  default:
    break;
  }
}

} // namespace
} // namespace gpusched::cpu
