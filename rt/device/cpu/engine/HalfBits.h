// HalfBits.h - f16 and bf16 values as bits, and their conversions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written with integers, so every rounding mode works and no processor feature is needed.
// Compiled per instruction set: everything is in an unnamed namespace (see Lanes.h).
#pragma once

#include "rt/device/cpu/engine/FloatBits.h"
#include "rt/device/cpu/engine/Isa.h"

namespace gpusched::cpu::GPUSCHED_ISA {
namespace {

/// A 16-bit format with kExponentBits of exponent.
template <unsigned kExponentBits> struct SmallFloat {
  static constexpr unsigned kFractionBits = 15 - kExponentBits;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int kMaxExponent = (1 << kExponentBits) - 1;
  static constexpr uint16_t kInfinity = uint16_t(kMaxExponent << kFractionBits);
  static constexpr uint16_t kNan = 0x7fff;

  static double toDouble(uint16_t bits) {
    const int exponent = bits >> kFractionBits & kMaxExponent;
    const unsigned fraction = bits & ((1u << kFractionBits) - 1);
    const uint64_t sign = uint64_t(bits >> 15) << 63;
    if (exponent == kMaxExponent)
      return asDouble(sign | 0x7ff0000000000000 | uint64_t(fraction) << (52 - kFractionBits));
    if (exponent == 0) {
      const double magnitude =
          double(fraction) * asDouble(uint64_t(1023 + 1 - kBias - int(kFractionBits)) << 52);
      return sign ? -magnitude : magnitude;
    }
    return asDouble(sign | uint64_t(exponent - kBias + 1023) << 52 |
                    uint64_t(fraction) << (52 - kFractionBits));
  }

  static bool roundsUp(Rounding rounding, bool negative, bool odd, bool half, bool rest) {
    switch (rounding) {
    case Rounding::Nearest:
      return half && (rest || odd);
    case Rounding::Zero:
      return false;
    case Rounding::Down:
      return negative && (half || rest);
    case Rounding::Up:
      return !negative && (half || rest);
    }
    return false;
  }

  static uint16_t overflow(Rounding rounding, uint16_t sign) {
    const bool towardZero = rounding == Rounding::Zero || (rounding == Rounding::Down && !sign) ||
                            (rounding == Rounding::Up && sign);
    return uint16_t(sign | (towardZero ? kInfinity - 1 : kInfinity));
  }

  /// Correctly rounded.
  static uint16_t fromDouble(double value, Rounding rounding) {
    const uint64_t bits = bitsOf(value);
    const uint16_t sign = uint16_t(bits >> 63 << 15);
    const int exponent = int(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & 0xfffffffffffff;
    if (exponent == 0x7ff)
      return fraction ? kNan : uint16_t(sign | kInfinity);
    if (exponent == 0 && fraction == 0)
      return sign;
    const uint64_t significand = exponent ? fraction | uint64_t(1) << 52 : fraction;
    int target = exponent - 1023 + kBias; // biased exponent if normal
    unsigned drop = 52 - kFractionBits;
    if (target <= 0) {
      drop += unsigned(1 - target);
      target = 0;
    }
    if (drop > 63)
      drop = 63; // everything is below the half bit
    uint64_t kept = significand >> drop;
    const bool half = significand >> (drop - 1) & 1;
    const bool rest = significand & ((uint64_t(1) << (drop - 1)) - 1);
    if (roundsUp(rounding, sign, kept & 1, half, rest))
      ++kept;
    // A carry out of the fraction moves into the exponent by itself.
    const uint64_t result = target ? (uint64_t(target - 1) << kFractionBits) + kept : kept;
    if (result >= kInfinity)
      return overflow(rounding, sign);
    return uint16_t(sign | result);
  }
};

using Half = SmallFloat<5>;
using Brain = SmallFloat<8>;

/// The double nearest to a*b+c with its last bit odd when inexact: rounding it again to
/// 16 bits then gives the correctly rounded result.
inline double fusedToOdd(double a, double b, double c) {
  const double product = a * b; // exact: two significands of at most 11 bits
  const double sum = product + c;
  const double back = sum - product;
  const double error = (product - (sum - back)) + (c - back);
  const uint64_t bits = bitsOf(sum);
  if (!(error != 0) || (bits & 1) || sum != sum || sum - sum != 0)
    return sum;
  const bool outward = (error > 0) == (sum > 0);
  return asDouble(outward ? bits + 1 : bits - 1);
}

} // namespace
} // namespace gpusched::cpu::GPUSCHED_ISA
