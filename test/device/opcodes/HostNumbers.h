// HostNumbers.h - the number formats of PTX on the host, for the opcode tests.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written from the formats' definitions, not from the engine: a value is rounded by scaling it to
// units of its last place and letting the host round to an integer.
#pragma once

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace gpusched::cpu::test {

struct F16 {
  static constexpr int kFraction = 10, kLeast = -14, kMost = 15;
  static constexpr const char* kName = "f16";
};
struct BF16 {
  static constexpr int kFraction = 7, kLeast = -126, kMost = 127;
  static constexpr const char* kName = "bf16";
};

/// One NaN gives the other operand; -0 is below +0.
template <class T> T smaller(T a, T b) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
}
template <class T> T larger(T a, T b) {
  return std::isnan(a) || std::isnan(b) ? smaller(a, b) : -smaller(-a, -b);
}

template <class Format> double valueOf(uint16_t bits) {
  constexpr int kExponents = Format::kMost * 2 + 1; // the exponent of infinity and NaN
  const int exponent = bits >> Format::kFraction & kExponents;
  const int fraction = bits & ((1 << Format::kFraction) - 1);
  const double magnitude = exponent == kExponents ? (fraction ? NAN : INFINITY)
                           : exponent ? std::ldexp(fraction + (1 << Format::kFraction),
                                                   exponent - Format::kMost - Format::kFraction)
                                      : std::ldexp(fraction, Format::kLeast - Format::kFraction);
  return bits >> 15 ? -magnitude : magnitude;
}

/// The double below or above `value` whose last bit is odd, if `value` is no double: what is
/// rounded from it later is as if rounded from `value`.
inline double toOdd(__float128 value) {
  const double near = static_cast<double>(value);
  if (std::isnan(near) || std::isinf(near) || near == value)
    return near;
  const double other = std::nextafter(near, value > near ? double(INFINITY) : double(-INFINITY));
  return std::bit_cast<uint64_t>(near) & 1 ? near : other;
}

/// a + b; if 113 bits cannot hold it, the neighbour whose last bit is odd.
inline __float128 nearSum(__float128 a, __float128 b) {
  const __float128 sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
  const unsigned __int128 bits = std::bit_cast<unsigned __int128>(sum);
  if ((!(error > 0) && !(error < 0)) || bits & 1)
    return sum;
  return std::bit_cast<__float128>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/// Rounded in `mode` of <cfenv>; NaN is 0x7fff.
template <class Format> uint16_t bitsOf(__float128 exact, int mode = FE_TONEAREST) {
  const double value = toOdd(exact);
  if (std::isnan(value))
    return 0x7fff;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  constexpr uint16_t kInfinity = uint16_t((Format::kMost * 2 + 1) << Format::kFraction);
  if (std::isinf(value) || value == 0)
    return uint16_t(sign | (value == 0 ? 0 : kInfinity));
  const int exponent = std::max(std::ilogb(value), Format::kLeast);
  std::fesetround(mode);
  volatile double scaled = std::ldexp(value, Format::kFraction - exponent);
  const double steps = std::rint(scaled);
  std::fesetround(FE_TONEAREST);
  // Steps above those of the exponent carry into it by themselves.
  const int biased = exponent - Format::kLeast;
  const long bits = (long(biased) << Format::kFraction) + long(std::fabs(steps));
  if (bits >= kInfinity) {
    const bool inward =
        mode == FE_TOWARDZERO || (mode == FE_DOWNWARD && !sign) || (mode == FE_UPWARD && sign);
    return uint16_t(sign | (inward ? kInfinity - 1 : kInfinity));
  }
  return uint16_t(sign | bits);
}

/// .ftz: subnormals become zeros of their sign.
inline float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
template <class Format> uint16_t flushedBits(uint16_t bits) {
  return bits >> Format::kFraction & (Format::kMost * 2 + 1) ? bits : bits & 0x8000;
}

/// .sat: to [0, 1], NaN to 0.
template <class T> T saturated(T value) {
  return value > 0 ? (value < 1 ? value : T(1)) : T(0);
}

struct RoundingName {
  const char* text; // ".rz"
  int mode;
};
inline constexpr RoundingName kRoundings[] = {
    {".rn", FE_TONEAREST}, {".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};

/// f(values...) computed by the host in `mode`.
template <class F, class... A> auto inMode(int mode, const F& f, A... values) {
  std::fesetround(mode);
  volatile auto result = f(static_cast<volatile A&>(values)...);
  std::fesetround(FE_TONEAREST);
  return static_cast<std::remove_volatile_t<decltype(result)>>(result);
}

} // namespace gpusched::cpu::test
