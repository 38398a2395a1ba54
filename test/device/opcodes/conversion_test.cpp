// conversion_test - cvt between integers, f16, bf16, f32 and f64.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 on the host is the compiler's _Float16; bf16 is rounded by hand.
#include "OpcodeTest.h"

#include <array>
#include <cfenv>

using namespace gpusched::cpu::test;

namespace {

/// Rounded to an integer and saturated; NaN per the PTX table.
template <class To, class From> To toInteger(From value, int mode, bool wide) {
  if (std::isnan(value))
    return wide ? To(U64(1) << (sizeof(To) * 8 - 1)) : To(0);
  std::fesetround(mode);
  const long double rounded = std::rint(static_cast<long double>(value));
  std::fesetround(FE_TONEAREST);
  const long double low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
  return rounded <= low    ? std::numeric_limits<To>::min()
         : rounded >= high ? std::numeric_limits<To>::max()
                           : To(rounded);
}

U16 halfBits(float value) {
  if (std::isnan(value))
    return 0x7fff;
  const _Float16 half = static_cast<_Float16>(value);
  return std::bit_cast<U16>(half);
}
float halfValue(U16 bits) {
  return static_cast<float>(std::bit_cast<_Float16>(bits));
}
float brainValue(U16 bits) {
  return std::bit_cast<float>(U32(bits) << 16);
}
U16 brainBits(float value) {
  if (std::isnan(value))
    return 0x7fff;
  const U32 bits = std::bit_cast<U32>(value);
  return U16((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void integers(OpcodeTest& t) {
  t.form<U64(U32)>("cvt.u64.u32 d, a;", [](U32 a) { return U64(a); });
  t.form<S64(S32)>("cvt.s64.s32 d, a;", [](S32 a) { return S64(a); });
  t.form<U32(U64)>("cvt.u32.u64 d, a;", [](U64 a) { return U32(a); });
  t.form<U32(U32)>("cvt.u32.u16 d, a;", [](U32 a) { return a & 0xffff; });
  t.form<S32(U32)>("cvt.s32.s8 d, a;", [](U32 a) { return S32(int8_t(a)); });
  t.form<U16(U32)>("cvt.u16.u32 d, a;", [](U32 a) { return U16(a); });
  t.form<U32(U16)>("cvt.u32.u8 d, a;", [](U16 a) { return U32(a & 255); });
  t.form<U16(U16)>("cvt.s16.s8 d, a;", [](U16 a) { return U16(int8_t(a)); });
  t.form<U32(S32)>("cvt.sat.u8.s32 d, a;", [](S32 a) { return U32(std::clamp(a, 0, 255)); });
  t.form<S32(S64)>("cvt.sat.s32.s64 d, a;",
                   [](S64 a) { return S32(std::clamp<S64>(a, INT32_MIN, INT32_MAX)); });
}

void floatToInteger(OpcodeTest& t) {
  t.form<S32(float)>("cvt.rzi.s32.f32 d, a;",
                     [](float a) { return toInteger<S32>(a, FE_TOWARDZERO, false); });
  t.form<U32(float)>("cvt.rzi.u32.f32 d, a;",
                     [](float a) { return toInteger<U32>(a, FE_TOWARDZERO, false); });
  t.form<S32(float)>("cvt.rni.s32.f32 d, a;",
                     [](float a) { return toInteger<S32>(a, FE_TONEAREST, false); });
  t.form<S32(double)>("cvt.rmi.s32.f64 d, a;",
                      [](double a) { return toInteger<S32>(a, FE_DOWNWARD, true); });
  t.form<S64(float)>("cvt.rpi.s64.f32 d, a;",
                     [](float a) { return toInteger<S64>(a, FE_UPWARD, true); });
  t.form<U64(double)>("cvt.rzi.u64.f64 d, a;",
                      [](double a) { return toInteger<U64>(a, FE_TOWARDZERO, true); });
  t.form<S64(double)>("cvt.rzi.s64.f64 d, a;",
                      [](double a) { return toInteger<S64>(a, FE_TOWARDZERO, true); });
  t.form<U16(float)>("cvt.rzi.u16.f32 d, a;",
                     [](float a) { return toInteger<U16>(a, FE_TOWARDZERO, false); });
}

void integerToFloat(OpcodeTest& t) {
  t.form<float(S32)>("cvt.rn.f32.s32 d, a;", [](S32 a) { return float(a); });
  t.form<float(U32)>("cvt.rn.f32.u32 d, a;", [](U32 a) { return float(a); });
  t.form<float(U64)>("cvt.rn.f32.u64 d, a;", [](U64 a) { return float(a); });
  t.form<double(S32)>("cvt.rn.f64.s32 d, a;", [](S32 a) { return double(a); });
  t.form<double(S64)>("cvt.rn.f64.s64 d, a;", [](S64 a) { return double(a); });
  t.form<double(U64)>("cvt.rn.f64.u64 d, a;", [](U64 a) { return double(a); });
  t.form<float(U16)>("cvt.rn.f32.u16 d, a;", [](U16 a) { return float(a); });
  t.form<float(U16)>("cvt.rn.f32.u8 d, a;", [](U16 a) { return float(a & 255); });
}

void floats(OpcodeTest& t) {
  t.form<double(float)>("cvt.f64.f32 d, a;", [](float a) { return double(a); });
  t.form<float(double)>("cvt.rn.f32.f64 d, a;", [](double a) { return float(a); });
  t.form<float(float)>("cvt.rni.f32.f32 d, a;", [](float a) { return std::rint(a); });
  t.form<float(float)>("cvt.rzi.f32.f32 d, a;", [](float a) { return std::trunc(a); });
  t.form<double(double)>("cvt.rmi.f64.f64 d, a;", [](double a) { return std::floor(a); });
  t.form<float(float)>("cvt.sat.f32.f32 d, a;",
                       [](float a) { return a > 0 ? std::min(a, 1.0f) : 0.0f; });
  t.form<float(float)>("cvt.ftz.f32.f32 d, a;", [](float a) {
    return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a;
  });
}

void halves(OpcodeTest& t) {
  t.form<float(U16)>("cvt.f32.f16 d, a;", halfValue);
  t.form<U16(float)>("cvt.rn.f16.f32 d, a;", halfBits);
  t.form<float(U16)>("cvt.f32.bf16 d, a;", brainValue);
  t.form<U16(float)>("cvt.rn.bf16.f32 d, a;", brainBits);
  t.form<U32(float, float)>("cvt.rn.f16x2.f32 d, a, b;",
                            [](float a, float b) { return U32(halfBits(a)) << 16 | halfBits(b); });
  t.form<U32(float, float)>("cvt.rn.bf16x2.f32 d, a, b;", [](float a, float b) {
    return U32(brainBits(a)) << 16 | brainBits(b);
  });
  t.form<U16(S32)>("cvt.rn.f16.s32 d, a;", [](S32 a) { return halfBits(float(double(a))); });
  t.form<S32(U16)>("cvt.rzi.s32.f16 d, a;",
                   [](U16 a) { return toInteger<S32>(halfValue(a), FE_TOWARDZERO, false); });
  t.form<U32(float)>("cvt.rna.tf32.f32 d, a;", [](float a) {
    const U32 bits = std::bit_cast<U32>(a);
    if (std::isnan(a) || std::isinf(a))
      return std::isnan(a) ? 0x7fffe000u : bits;
    return (bits + 0x1000) & 0xffffe000;
  });
  const auto both = [](U16 a, U16 b, auto f) {
    const float x = halfValue(a), y = halfValue(b);
    return halfBits(f(x, y));
  };
  t.form<U16(U16, U16)>("add.f16 d, a, b;", [=](U16 a, U16 b) {
    return both(a, b, [](float x, float y) { return x + y; });
  });
  t.form<U16(U16, U16)>("sub.f16 d, a, b;", [=](U16 a, U16 b) {
    return both(a, b, [](float x, float y) { return x - y; });
  });
  t.form<U16(U16, U16)>("mul.f16 d, a, b;", [=](U16 a, U16 b) {
    return both(a, b, [](float x, float y) { return x * y; });
  });
  t.form<U32(U32, U32)>("add.f16x2 d, a, b;", [=](U32 a, U32 b) {
    const auto sum = [](float x, float y) { return x + y; };
    return U32(both(U16(a >> 16), U16(b >> 16), sum)) << 16 | both(U16(a), U16(b), sum);
  });
  t.form<U16(U16, U16, U16)>("fma.rn.f16 d, a, b, c;", [](U16 a, U16 b, U16 c) {
    const __float128 exact = __float128(halfValue(a)) * halfValue(b) + halfValue(c);
    if (exact != exact)
      return U16(0x7fff);
    return std::bit_cast<U16>(static_cast<_Float16>(exact));
  });
  t.form<U16(U16, U16)>("mul.bf16 d, a, b;",
                        [](U16 a, U16 b) { return brainBits(brainValue(a) * brainValue(b)); });
  t.form<bool(U16, U16)>("setp.lt.f16 d, a, b;",
                         [](U16 a, U16 b) { return halfValue(a) < halfValue(b); });
  t.form<U16(U16)>("neg.f16 d, a;", [](U16 a) { return U16(a ^ 0x8000); });
}

/// The 8-bit float nearest to `value`: the closest of all, the even one of two; never infinite.
U16 nearestEighth(double value, const std::array<double, 128>& numbers) {
  if (std::isnan(value))
    return 0x7f;
  unsigned best = 0;
  for (unsigned i = 1; i < 128 && std::isfinite(numbers[i]); ++i) {
    const double mine = std::fabs(std::fabs(value) - numbers[i]);
    const double other = std::fabs(std::fabs(value) - numbers[best]);
    if (mine < other || (mine == other && i % 2 == 0) || std::fabs(value) >= numbers[i])
      best = i;
  }
  return U16(best | (std::signbit(value) ? 0x80 : 0));
}

/// The numbers of the format with bit patterns 0 to 127, from its definition.
template <unsigned kExponentBits> std::array<double, 128> eighths() {
  constexpr int kFraction = 7 - kExponentBits, kBias = (1 << (kExponentBits - 1)) - 1;
  std::array<double, 128> numbers;
  for (int i = 0; i < 128; ++i) {
    const int exponent = i >> kFraction, fraction = i & ((1 << kFraction) - 1);
    numbers[size_t(i)] = exponent
                             ? std::ldexp(1 + std::ldexp(fraction, -kFraction), exponent - kBias)
                             : std::ldexp(fraction, 1 - kBias - kFraction);
  }
  if (kExponentBits == 5) {
    numbers[0x7c] = INFINITY;
    numbers[0x7d] = numbers[0x7e] = NAN;
  }
  numbers[0x7f] = NAN;
  return numbers;
}

template <unsigned kExponentBits> void eighthForms(OpcodeTest& t, const std::string& name) {
  static const std::array<double, 128> numbers = eighths<kExponentBits>();
  const auto relu = [](double a) { return a > 0 || std::isnan(a) ? a : 0.0; };
  const auto narrow = [](double a) { return nearestEighth(a, numbers); };
  const auto widen = [](unsigned bits) {
    const double value = numbers[bits & 127];
    return bits & 128 ? -value : value;
  };
  t.form<U16(float, float)>("cvt.rn.satfinite." + name + ".f32 d, a, b;",
                            [=](float a, float b) { return U16(narrow(a) << 8 | narrow(b)); });
  t.form<U16(float, float)>(
      "cvt.rn.satfinite.relu." + name + ".f32 d, a, b;",
      [=](float a, float b) { return U16(narrow(relu(a)) << 8 | narrow(relu(b))); });
  t.form<U16(U32)>("cvt.rn.satfinite." + name + ".f16x2 d, a;", [=](U32 a) {
    return U16(narrow(halfValue(U16(a >> 16))) << 8 | narrow(halfValue(U16(a))));
  });
  t.form<U16(U32)>("cvt.rn.satfinite.relu." + name + ".f16x2 d, a;", [=](U32 a) {
    return U16(narrow(relu(halfValue(U16(a >> 16)))) << 8 | narrow(relu(halfValue(U16(a)))));
  });
  t.form<U32(U16)>("cvt.rn.f16x2." + name + " d, a;", [=](U16 a) {
    return U32(halfBits(float(widen(a >> 8)))) << 16 | halfBits(float(widen(a)));
  });
  t.form<U32(U16)>("cvt.rn.relu.f16x2." + name + " d, a;", [=](U16 a) {
    return U32(halfBits(float(relu(widen(a >> 8))))) << 16 | halfBits(float(relu(widen(a))));
  });
}

template <class Field, class Source>
void packForms(OpcodeTest& t, const std::string& field, const std::string& source, unsigned bits) {
  const auto clamp = [=](Source a) {
    const S64 low = std::is_signed_v<Field> ? -(S64(1) << (bits - 1)) : 0;
    const S64 high = low + (S64(1) << bits) - 1;
    return U32(std::clamp<S64>(a, low, high)) & ((1u << bits) - 1);
  };
  const std::string name = "cvt.pack.sat." + field + std::to_string(bits) + source;
  if (bits == 16)
    return t.form<U32(Source, Source)>(
        name + " d, a, b;", [=](Source a, Source b) { return clamp(a) << 16 | clamp(b); });
  t.form<U32(Source, Source, U32)>(name + ".b32 d, a, b, c;", [=](Source a, Source b, U32 c) {
    return c << (2 * bits) | clamp(a) << bits | clamp(b);
  });
}

void packs(OpcodeTest& t) {
  for (const unsigned bits : {2u, 4u, 8u, 16u}) {
    packForms<U32, S32>(t, "u", ".s32", bits);
    packForms<S32, S32>(t, "s", ".s32", bits);
  }
}

/// .satfinite: numbers too large become the largest, NaN stays one.
void finites(OpcodeTest& t) {
  t.form<U16(float)>("cvt.rn.satfinite.f16.f32 d, a;",
                     [](float a) { return halfBits(std::clamp(a, -65504.0f, 65504.0f)); });
  t.form<U16(float)>("cvt.rn.relu.satfinite.bf16.f32 d, a;", [](float a) {
    const float largest = brainValue(0x7f7f);
    return brainBits(std::isnan(a) ? a : a > 0 ? std::min(a, largest) : 0.0f);
  });
  t.form<U32(float, float)>("cvt.rn.satfinite.f16x2.f32 d, a, b;", [](float a, float b) {
    return U32(halfBits(std::clamp(a, -65504.0f, 65504.0f))) << 16 |
           halfBits(std::clamp(b, -65504.0f, 65504.0f));
  });
  t.form<U32(float)>("cvt.rz.relu.tf32.f32 d, a;", [](float a) {
    const U32 bits = std::bit_cast<U32>(a);
    return std::isnan(a) ? 0x7fffe000u : bits >> 31 ? 0 : bits & 0xffffe000;
  });
  t.form<U32(float)>("cvt.rna.satfinite.tf32.f32 d, a;", [](float a) {
    const U32 bits = std::bit_cast<U32>(a);
    const U32 rounded = std::isinf(a) ? bits : (bits + 0x1000) & 0xffffe000;
    return std::isnan(a)                          ? 0x7fffe000u
           : (rounded & 0x7f800000) == 0x7f800000 ? (rounded & 0x80000000) | 0x7f7fe000
                                                  : rounded;
  });
}

} // namespace

int main() {
  OpcodeTest test;
  eighthForms<4>(test, "e4m3x2");
  eighthForms<5>(test, "e5m2x2");
  packs(test);
  finites(test);
  integers(test);
  floatToInteger(test);
  integerToFloat(test);
  floats(test);
  halves(test);
  return test.run();
}
