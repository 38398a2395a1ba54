// rounding_test - f32 and f64 arithmetic in every rounding mode, with .ftz and .sat.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directed rounding is checked against fesetround on the host; approximations against libm.
#include "HostNumbers.h"
#include "OpcodeTest.h"

using namespace gpusched::cpu::test;

namespace {

/// f with its operands and its result flushed and saturated as the modifiers say.
template <class T> struct Modified {
  bool ftz = false, sat = false;
  int mode = FE_TONEAREST;
  T in(T value) const {
    if constexpr (std::is_same_v<T, float>)
      return ftz ? flushed(value) : value;
    return value;
  }
  template <class F, class... A> T operator()(const F& f, A... values) const {
    const T result = in(inMode(mode, f, in(values)...));
    return sat ? saturated(result) : result;
  }
};

/// Visits every combination of rounding, .ftz and .sat that the type has.
template <class T, class Visit> void eachModifier(bool hasDefault, bool hasSat, Visit visit) {
  constexpr bool kFloat = std::is_same_v<T, float>;
  for (const bool ftz : {false, true})
    for (const bool sat : {false, true}) {
      if ((ftz && !kFloat) || (sat && (!kFloat || !hasSat)))
        continue;
      const std::string rest = std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : "");
      if (hasDefault)
        visit(rest, Modified<T>{ftz, sat, FE_TONEAREST});
      for (const RoundingName& rounding : kRoundings)
        visit(rounding.text + rest, Modified<T>{ftz, sat, rounding.mode});
    }
}

template <class T> void arithmetic(OpcodeTest& t, const std::string& type) {
  const auto binary = [&](const char* name, bool hasDefault, bool hasSat, auto f) {
    eachModifier<T>(hasDefault, hasSat, [&](const std::string& modifiers, Modified<T> as) {
      t.form<T(T, T)>(name + modifiers + type + " d, a, b;", [=](T a, T b) { return as(f, a, b); });
    });
  };
  binary("add", true, true, [](auto& a, auto& b) { return a + b; });
  binary("sub", true, true, [](auto& a, auto& b) { return a - b; });
  binary("mul", true, true, [](auto& a, auto& b) { return a * b; });
  binary("div", false, false, [](auto& a, auto& b) { return a / b; });
  const auto fused = [](auto& a, auto& b, auto& c) { return std::fma(T(a), T(b), T(c)); };
  for (const char* name : {"fma", "mad"})
    eachModifier<T>(false, true, [&](const std::string& modifiers, Modified<T> as) {
      t.form<T(T, T, T)>(name + modifiers + type + " d, a, b, c;",
                         [=](T a, T b, T c) { return as(fused, a, b, c); });
    });
  const auto unary = [&](const char* name, auto f) {
    eachModifier<T>(false, false, [&](const std::string& modifiers, Modified<T> as) {
      t.form<T(T)>(name + modifiers + type + " d, a;", [=](T a) { return as(f, a); });
    });
  };
  unary("rcp", [](auto& a) { return T(1) / a; });
  unary("sqrt", [](auto& a) { return std::sqrt(T(a)); });
}

/// f32 arithmetic whose other operands are of 16 bits.
template <class Format> void mixed(OpcodeTest& t) {
  struct Case {
    const char *ofSum, *ofFused;
    int sumMode, fusedMode;
    bool sat;
  };
  constexpr Case kCases[] = {{"", ".rn", FE_TONEAREST, FE_TONEAREST, false},
                             {".rz", ".rp", FE_TOWARDZERO, FE_UPWARD, false},
                             {".rn.sat", ".rn.sat", FE_TONEAREST, FE_TONEAREST, true}};
  const std::string type = std::string(".f32.") + Format::kName;
  const auto value = [](uint16_t bits) { return float(valueOf<Format>(bits)); };
  for (const Case& each : kCases) {
    const auto sum = [&](const char* name, auto f) {
      const Modified<float> as{false, each.sat, each.sumMode};
      t.form<float(uint16_t, float)>(name + (each.ofSum + type) + " d, a, b;",
                                     [=](uint16_t a, float b) { return as(f, value(a), b); });
    };
    sum("add", [](auto& a, auto& b) { return a + b; });
    sum("sub", [](auto& a, auto& b) { return a - b; });
    const Modified<float> as{false, each.sat, each.fusedMode};
    const auto fused = [](auto& a, auto& b, auto& c) { return std::fma(float(a), float(b), c); };
    t.form<float(uint16_t, uint16_t, float)>(
        "fma" + (each.ofFused + type) + " d, a, b, c;",
        [=](uint16_t a, uint16_t b, float c) { return as(fused, value(a), value(b), c); });
  }
}

float nanIfAny(float a, float b, float result) {
  return std::isnan(a) || std::isnan(b) ? NAN : result;
}

void extremes(OpcodeTest& t) {
  for (const bool max : {false, true})
    for (const bool ftz : {false, true})
      for (const bool nan : {false, true}) {
        const std::string name =
            std::string(max ? "max" : "min") + (ftz ? ".ftz" : "") + (nan ? ".NaN" : "");
        const auto plain = [=](float a, float b) {
          a = ftz ? flushed(a) : a, b = ftz ? flushed(b) : b;
          const float result = max ? larger(a, b) : smaller(a, b);
          return nan ? nanIfAny(a, b, result) : result;
        };
        t.form<float(float, float)>(name + ".f32 d, a, b;", plain);
        t.form<float(float, float, float)>(
            name + ".f32 d, a, b, c;",
            [=](float a, float b, float c) { return plain(plain(a, b), c); });
        t.form<float(float, float)>(name + ".xorsign.abs.f32 d, a, b;", [=](float a, float b) {
          const bool sign = std::signbit(a) != std::signbit(b);
          const float result = plain(std::fabs(a), std::fabs(b));
          return std::isnan(result) ? result : std::copysign(result, sign ? -1.0f : 1.0f);
        });
      }
  t.form<double(double, double)>("min.f64 d, a, b;", smaller<double>);
  t.form<double(double, double)>("max.f64 d, a, b;", larger<double>);
}

void signs(OpcodeTest& t) {
  t.form<float(float)>("abs.f32 d, a;", [](float a) { return std::fabs(a); });
  t.form<float(float)>("abs.ftz.f32 d, a;", [](float a) { return std::fabs(flushed(a)); });
  t.form<float(float)>("neg.f32 d, a;", [](float a) { return -a; });
  t.form<float(float)>("neg.ftz.f32 d, a;", [](float a) { return -flushed(a); });
  t.form<double(double)>("abs.f64 d, a;", [](double a) { return std::fabs(a); });
  t.form<double(double)>("neg.f64 d, a;", [](double a) { return -a; });
  t.form<float(float, float)>("copysign.f32 d, a, b;",
                              [](float a, float b) { return std::copysign(b, a); });
  t.form<double(double, double)>("copysign.f64 d, a, b;",
                                 [](double a, double b) { return std::copysign(b, a); });
}

void approximations(OpcodeTest& t) {
  for (const bool ftz : {false, true}) {
    const std::string modifiers = ftz ? ".approx.ftz.f32 d, a;" : ".approx.f32 d, a;";
    const auto form = [&](const char* name, auto f) {
      t.form<float(float)>(name + modifiers,
                           [=](float a) { return ftz ? flushed(f(flushed(a))) : f(a); });
    };
    form("ex2", [](float a) { return std::exp2(a); });
    form("lg2", [](float a) { return std::log2(a); });
    form("rsqrt", [](float a) { return 1 / std::sqrt(a); });
    form("sqrt", [](float a) { return std::sqrt(a); });
    form("rcp", [](float a) { return 1 / a; });
    form("sin", [](float a) { return std::sin(a); });
    form("cos", [](float a) { return std::cos(a); });
    for (const char* kind : {"approx", "full"})
      t.form<float(float, float)>(
          std::string("div.") + kind + (ftz ? ".ftz" : "") + ".f32 d, a, b;",
          [=](float a, float b) { return ftz ? flushed(flushed(a) / flushed(b)) : a / b; });
  }
  t.form<float(float)>("tanh.approx.f32 d, a;", [](float a) { return std::tanh(a); });
  t.form<double(double)>("rsqrt.approx.f64 d, a;", [](double a) { return 1 / std::sqrt(a); });
}

} // namespace

int main() {
  OpcodeTest t;
  arithmetic<float>(t, ".f32");
  arithmetic<double>(t, ".f64");
  mixed<F16>(t);
  mixed<BF16>(t);
  extremes(t);
  signs(t);
  approximations(t);
  return t.run();
}
