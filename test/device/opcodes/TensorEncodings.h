// TensorEncodings.h - small integers as the elements of matrices, written from PTX's reference.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>

namespace gpusched::cpu::test {

inline uint64_t half(int value) {
  if (value == 0)
    return 0;
  const unsigned magnitude = static_cast<unsigned>(std::abs(value));
  const unsigned exponent = std::bit_width(magnitude) - 1;
  return (value < 0 ? 0x8000u : 0u) | (exponent + 15) << 10 |
         ((magnitude << (10 - exponent)) & 0x3ff);
}
inline uint64_t single(int value) {
  return std::bit_cast<uint32_t>(float(value));
}
inline uint64_t brain(int value) {
  return single(value) >> 16;
}
inline uint64_t tensorSingle(int value) {
  return single(value) | 0x1abc; // bits that must not be read
}
inline uint64_t twos(int value) {
  return static_cast<uint32_t>(value);
}
inline uint64_t byte(int value) {
  return static_cast<uint8_t>(value);
}

inline uint64_t nibble(int value) {
  return static_cast<uint8_t>(value) & 15;
}
inline uint64_t bit(int value) {
  return value & 1;
}
/// e4m3 is the upper 8 bits of a float with 4 bits of exponent, as f16 is of one with 5.
inline uint64_t eighth4(int value) {
  if (value == 0)
    return 0;
  const unsigned magnitude = static_cast<unsigned>(std::abs(value));
  const unsigned exponent = std::bit_width(magnitude) - 1;
  return (value < 0 ? 0x80u : 0u) | (exponent + 7) << 3 | ((magnitude << (3 - exponent)) & 7);
}
/// Values of at most two significant bits.
inline uint64_t eighth5(int value) {
  return half(value) >> 8;
}

} // namespace gpusched::cpu::test
