// EighthBits.h - e4m3 and e5m2 values as bits, and their conversions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written on top of HalfBits.h: every 8-bit float is exact in f16. Compiled per instruction set
// like it.
#pragma once

#include "rt/device/cpu/engine/HalfBits.h"

namespace gpusched::cpu::GPUSCHED_ISA {
namespace {

/// kLargest: the bits of the largest number, above which there is only NaN or infinity.
template <unsigned kExponentBits, uint8_t kLargest> struct EighthFloat {
  static constexpr unsigned kFractionBits = 7 - kExponentBits;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr uint8_t kNan = 0x7f;

  static double toDouble(uint8_t bits) {
    const uint8_t magnitude = bits & 0x7f;
    const uint64_t sign = uint64_t(bits >> 7) << 63;
    if (magnitude > kLargest) {
      const bool infinite = kExponentBits == 5 && magnitude == kLargest + 1;
      return asDouble(sign | 0x7ff0000000000000 | (infinite ? 0 : uint64_t(1) << 51));
    }
    const int exponent = magnitude >> kFractionBits;
    const unsigned fraction = magnitude & ((1u << kFractionBits) - 1);
    const unsigned significand = exponent ? fraction | 1u << kFractionBits : fraction;
    const int scale = (exponent ? exponent : 1) - kBias - int(kFractionBits);
    const double value = double(significand) * asDouble(uint64_t(1023 + scale) << 52);
    return sign ? -value : value;
  }

  /// To nearest, ties to even; numbers too large, and infinity, become the largest.
  static uint8_t fromDouble(double value) {
    const uint64_t bits = bitsOf(value);
    const uint8_t sign = uint8_t(bits >> 63 << 7);
    const double magnitude = asDouble(bits & ~kSign64);
    if (magnitude != magnitude)
      return kNan;
    if (magnitude >= toDouble(kLargest))
      return uint8_t(sign | kLargest);
    const int exponent = int(bits >> 52 & 0x7ff) - 1023;
    const int scale = (exponent < 1 - kBias ? 1 - kBias : exponent) - int(kFractionBits);
    // A multiple of the last place, rounded by the host; a carry moves into the exponent.
    const unsigned steps =
        unsigned(__builtin_rint(magnitude * asDouble(uint64_t(1023 - scale) << 52)));
    const unsigned biased = exponent < 1 - kBias ? 0 : unsigned(exponent + kBias - 1);
    return uint8_t(sign | ((biased << kFractionBits) + steps));
  }
};

using E4M3 = EighthFloat<4, 0x7e>;
using E5M2 = EighthFloat<5, 0x7b>;

} // namespace
} // namespace gpusched::cpu::GPUSCHED_ISA
