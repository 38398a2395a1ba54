// FloatBits.h - bit-level helpers for f32 and f64 lanes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled per instruction set: everything is in an unnamed namespace (see Lanes.h).
#pragma once

#include <cstdint>
#include <cstring>

namespace gpusched::cpu::GPUSCHED_ISA {
namespace {

inline uint32_t bitsOf(float value) {
  return __builtin_bit_cast(uint32_t, value);
}
inline uint64_t bitsOf(double value) {
  return __builtin_bit_cast(uint64_t, value);
}
inline float asFloat(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
inline double asDouble(uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}

inline constexpr uint32_t kSign32 = 0x80000000, kExponent32 = 0x7f800000;
inline constexpr uint64_t kSign64 = 0x8000000000000000, kQuiet64 = 0x0008000000000000;
/// The NaN that PTX's f32 arithmetic produces.
inline constexpr uint32_t kNan32 = 0x7fffffff;

inline double quiet(double nan) {
  return asDouble(bitsOf(nan) | kQuiet64);
}

/// .ftz: a subnormal becomes a zero of its sign.
inline float flush(float value) {
  const uint32_t bits = bitsOf(value);
  return asFloat(bits & kExponent32 ? bits : bits & kSign32);
}
inline double flush(double value) {
  return value;
}

/// .sat: to [0, 1]; NaN and -0 become +0.
inline float saturate(float value) {
  return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}
inline double saturate(double value) {
  return value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0;
}

inline float copySign(float magnitude, float sign) {
  return asFloat((bitsOf(magnitude) & ~kSign32) | (bitsOf(sign) & kSign32));
}
inline double copySign(double magnitude, double sign) {
  return asDouble((bitsOf(magnitude) & ~kSign64) | (bitsOf(sign) & kSign64));
}

} // namespace
} // namespace gpusched::cpu::GPUSCHED_ISA
