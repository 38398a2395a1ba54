// formats_test - cvt between every two number formats, in every rounding mode.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostNumbers.h"
#include "OpcodeTest.h"

#include <algorithm>

using namespace gpusched::cpu::test;

namespace {

using Wide = __float128;

/// How a type of PTX looks on the host: what holds it, and its value.
template <class T> struct Integer {
  using Value = T;
  /// Registers have at least 16 bits; the rest of one that holds 8 is not looked at.
  using Held =
      std::conditional_t<sizeof(T) == 1, std::conditional_t<std::is_signed_v<T>, int16_t, U16>, T>;
  static std::string name() {
    return (std::is_signed_v<T> ? ".s" : ".u") + std::to_string(sizeof(T) * 8);
  }
  static Wide value(Held held) { return T(held); }
};
struct Single {
  using Held = float;
  static std::string name() { return ".f32"; }
  static Wide value(float held) { return held; }
};
struct Double {
  using Held = double;
  static std::string name() { return ".f64"; }
  static Wide value(double held) { return held; }
};
template <class Format> struct Small {
  using Held = U16;
  static std::string name() { return std::string(".") + Format::kName; }
  static Wide value(U16 held) { return valueOf<Format>(held); }
};

template <class T> typename Integer<T>::Held limited(Wide value) {
  const Wide low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return T(value < low ? low : value > high ? high : value);
}

template <class To, class From> void betweenIntegers(OpcodeTest& t) {
  using HeldTo = typename Integer<To>::Held;
  using HeldFrom = typename Integer<From>::Held;
  const std::string types = Integer<To>::name() + Integer<From>::name() + " d, a;";
  t.form<HeldTo(HeldFrom)>("cvt" + types, [](HeldFrom a) { return HeldTo(To(From(a))); });
  t.form<HeldTo(HeldFrom)>("cvt.sat" + types,
                           [](HeldFrom a) { return limited<To>(Integer<From>::value(a)); });
}

/// To an integer, as rint in that mode.
Wide integral(Wide value, int mode) {
  // |value| < 2^64 matters only; above, every double is an integer.
  const double near = toOdd(value);
  if (!(std::fabs(near) < 0x1p60))
    return value;
  return inMode(mode, [](auto& a) { return std::rint((long double)(a)); }, near);
}

const char* integerName(int mode) {
  return mode == FE_TONEAREST    ? ".rni"
         : mode == FE_TOWARDZERO ? ".rzi"
         : mode == FE_DOWNWARD   ? ".rmi"
                                 : ".rpi";
}

template <class To, class From> void toInteger(OpcodeTest& t, bool ftz) {
  using HeldTo = typename Integer<To>::Held;
  using HeldFrom = typename From::Held;
  constexpr bool kWide = std::is_same_v<From, Double> || sizeof(To) == 8;
  for (const RoundingName& rounding : kRoundings) {
    const std::string name = std::string("cvt") + integerName(rounding.mode) + (ftz ? ".ftz" : "");
    const auto convert = [=](HeldFrom a) -> HeldTo {
      Wide value = From::value(a);
      if constexpr (std::is_same_v<From, Single>)
        value = ftz ? flushed(a) : a;
      if (value != value)
        return kWide && !std::is_same_v<From, Small<F16>> && !std::is_same_v<From, Small<BF16>>
                   ? HeldTo(To(U64(1) << (sizeof(To) * 8 - 1)))
               : kWide ? HeldTo(To(U64(1) << (sizeof(To) * 8 - 1)))
                       : HeldTo(0);
      return limited<To>(integral(value, rounding.mode));
    };
    for (const char* sat : {"", ".sat"})
      t.form<HeldTo(HeldFrom)>(name + sat + Integer<To>::name() + From::name() + " d, a;", convert);
  }
}

/// Rounded once to f32 or f64.
template <class T> T rounded(Wide value, int mode) {
  const double odd = toOdd(value);
  if constexpr (std::is_same_v<T, double>)
    return inMode(mode, [](auto& a) { return double(a * 1.0); }, double(value));
  return inMode(mode, [](auto& a) { return float(a); }, odd);
}

template <class From> void integerToFloat(OpcodeTest& t) {
  using Held = typename Integer<From>::Held;
  for (const RoundingName& rounding : kRoundings) {
    const int mode = rounding.mode;
    const std::string name = std::string("cvt") + rounding.text, from = Integer<From>::name();
    const auto toSingle = [=](Held a) {
      return inMode(mode, [](auto& v) { return float(v); }, From(a));
    };
    const auto toDouble = [=](Held a) {
      return inMode(mode, [](auto& v) { return double(v); }, From(a));
    };
    t.form<float(Held)>(name + ".f32" + from + " d, a;", toSingle);
    t.form<double(Held)>(name + ".f64" + from + " d, a;", toDouble);
    t.form<float(Held)>(name + ".sat.f32" + from + " d, a;",
                        [=](Held a) { return saturated(toSingle(a)); });
    t.form<double(Held)>(name + ".sat.f64" + from + " d, a;",
                         [=](Held a) { return saturated(toDouble(a)); });
    t.form<U16(Held)>(name + ".f16" + from + " d, a;",
                      [=](Held a) { return bitsOf<F16>(Wide(From(a)), mode); });
    t.form<U16(Held)>(name + ".bf16" + from + " d, a;",
                      [=](Held a) { return bitsOf<BF16>(Wide(From(a)), mode); });
  }
}

template <class From> void fromFloat(OpcodeTest& t, bool ftz) {
  toInteger<uint8_t, From>(t, ftz), toInteger<int8_t, From>(t, ftz);
  toInteger<U16, From>(t, ftz), toInteger<int16_t, From>(t, ftz);
  toInteger<U32, From>(t, ftz), toInteger<int32_t, From>(t, ftz);
  toInteger<U64, From>(t, ftz), toInteger<int64_t, From>(t, ftz);
}

template <class To> void fromIntegers(OpcodeTest& t) {
  betweenIntegers<To, uint8_t>(t), betweenIntegers<To, int8_t>(t);
  betweenIntegers<To, U16>(t), betweenIntegers<To, int16_t>(t);
  betweenIntegers<To, U32>(t), betweenIntegers<To, int32_t>(t);
  betweenIntegers<To, U64>(t), betweenIntegers<To, int64_t>(t);
  integerToFloat<To>(t);
}

/// f32 and f64 to a 16-bit format.
template <class Format, class T> void narrow(OpcodeTest& t, const std::string& from) {
  const std::string to = std::string(".") + Format::kName;
  for (const RoundingName& rounding : kRoundings) {
    const int mode = rounding.mode;
    const auto plain = [=](T a) { return bitsOf<Format>(Wide(a), mode); };
    const std::string name = std::string("cvt") + rounding.text;
    t.form<U16(T)>(name + to + from + " d, a;", plain);
    t.form<U16(T)>(name + ".sat" + to + from + " d, a;", [=](T a) { return plain(saturated(a)); });
    if constexpr (std::is_same_v<T, float>) {
      t.form<U16(T)>(name + ".ftz" + to + from + " d, a;", [=](T a) { return plain(flushed(a)); });
      t.form<U16(T)>(name + ".relu" + to + from + " d, a;",
                     [=](T a) { return plain(a > 0 || std::isnan(a) ? a : T(0)); });
      for (const bool relu : {false, true}) {
        const auto one = [=](T a) { return plain(!relu || a > 0 || std::isnan(a) ? a : T(0)); };
        t.form<U32(T, T)>(name + (relu ? ".relu" : "") + to + "x2" + from + " d, a, b;",
                          [=](T a, T b) { return U32(one(a)) << 16 | one(b); });
      }
    }
  }
}

template <class Format> void widen(OpcodeTest& t) {
  const std::string from = std::string(".") + Format::kName;
  const auto single = [](U16 a) { return float(valueOf<Format>(a)); };
  t.form<float(U16)>("cvt.f32" + from + " d, a;", single);
  t.form<float(U16)>("cvt.ftz.f32" + from + " d, a;", [=](U16 a) { return flushed(single(a)); });
  t.form<float(U16)>("cvt.sat.f32" + from + " d, a;", [=](U16 a) { return saturated(single(a)); });
  t.form<double(U16)>("cvt.f64" + from + " d, a;", valueOf<Format>);
  for (const RoundingName& rounding : kRoundings)
    t.form<U16(U16)>(
        std::string("cvt") + integerName(rounding.mode) + from + from + " d, a;",
        [=](U16 a) { return bitsOf<Format>(integral(valueOf<Format>(a), rounding.mode)); });
}

void betweenSmall(OpcodeTest& t) {
  for (const RoundingName& rounding : kRoundings) {
    const std::string name = std::string("cvt") + rounding.text;
    t.form<U16(U16)>(name + ".bf16.f16 d, a;",
                     [=](U16 a) { return bitsOf<BF16>(valueOf<F16>(a), rounding.mode); });
    t.form<U16(U16)>(name + ".f16.bf16 d, a;",
                     [=](U16 a) { return bitsOf<F16>(valueOf<BF16>(a), rounding.mode); });
  }
}

template <class T> void sameFormat(OpcodeTest& t, const std::string& type) {
  const auto form = [&](const std::string& modifiers, auto f) {
    t.form<T(T)>("cvt" + modifiers + type + type + " d, a;", f);
  };
  form(".sat", [](T a) { return saturated(a); });
  for (const RoundingName& rounding : kRoundings) {
    const auto plain = [=](T a) {
      return std::isfinite(a) ? inMode(
                                    rounding.mode, [](auto& v) { return std::rint(T(v)); }, a)
                              : a;
    };
    const std::string name = integerName(rounding.mode);
    form(name, plain);
    form(name + ".sat", [=](T a) { return saturated(plain(a)); });
    if constexpr (std::is_same_v<T, float>) {
      form(name + ".ftz", [=](T a) { return plain(flushed(a)); });
      form(name + ".ftz.sat", [=](T a) { return saturated(plain(flushed(a))); });
    }
  }
}

void singleAndDouble(OpcodeTest& t) {
  t.form<double(float)>("cvt.f64.f32 d, a;", [](float a) { return double(a); });
  t.form<double(float)>("cvt.ftz.f64.f32 d, a;", [](float a) { return double(flushed(a)); });
  t.form<double(float)>("cvt.sat.f64.f32 d, a;", [](float a) { return saturated(double(a)); });
  t.form<float(float)>("cvt.ftz.f32.f32 d, a;", flushed);
  t.form<float(float)>("cvt.ftz.sat.f32.f32 d, a;", [](float a) { return saturated(flushed(a)); });
  for (const RoundingName& rounding : kRoundings) {
    const auto plain = [=](double a) {
      return inMode(rounding.mode, [](auto& v) { return float(v); }, a);
    };
    const std::string name = std::string("cvt") + rounding.text;
    t.form<float(double)>(name + ".f32.f64 d, a;", plain);
    t.form<float(double)>(name + ".ftz.f32.f64 d, a;", [=](double a) { return flushed(plain(a)); });
    t.form<float(double)>(name + ".sat.f32.f64 d, a;",
                          [=](double a) { return saturated(plain(a)); });
  }
}

} // namespace

int main() {
  OpcodeTest t;
  fromIntegers<uint8_t>(t), fromIntegers<int8_t>(t);
  fromIntegers<U16>(t), fromIntegers<int16_t>(t);
  fromIntegers<U32>(t), fromIntegers<int32_t>(t);
  fromIntegers<U64>(t), fromIntegers<int64_t>(t);
  fromFloat<Single>(t, false), fromFloat<Single>(t, true), fromFloat<Double>(t, false);
  fromFloat<Small<F16>>(t, false), fromFloat<Small<BF16>>(t, false);
  narrow<F16, float>(t, ".f32"), narrow<BF16, float>(t, ".f32");
  narrow<F16, double>(t, ".f64"), narrow<BF16, double>(t, ".f64");
  widen<F16>(t), widen<BF16>(t);
  betweenSmall(t);
  sameFormat<float>(t, ".f32"), sameFormat<double>(t, ".f64");
  singleAndDouble(t);
  return t.run();
}
