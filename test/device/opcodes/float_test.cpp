// float_test - f32 and f64 arithmetic, modifiers, comparisons.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directed rounding is checked against fesetround on the host; approximations against libm.
#include "HostNumbers.h"
#include "OpcodeTest.h"

#include <bit>
#include <cfenv>

using namespace gpusched::cpu::test;

namespace {

template <class F> auto rounded(int mode, F f) {
  return [=](auto... values) {
    std::fesetround(mode);
    volatile auto result = f(static_cast<volatile decltype(values)&>(values)...);
    std::fesetround(FE_TONEAREST);
    return static_cast<std::remove_volatile_t<decltype(result)>>(result);
  };
}

float ftz(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
template <class T> T sat(T value) {
  return value > 0 ? std::min(value, T(1)) : T(0);
}

void arithmetic(OpcodeTest& t) {
  t.form<float(float, float)>("add.f32 d, a, b;", [](float a, float b) { return a + b; });
  t.form<float(float)>("add.f32 d, a, 0f3FC00000;", [](float a) { return a + 1.5f; });
  t.form<double(double, double)>("sub.f64 d, a, b;", [](double a, double b) { return a - b; });
  t.form<float(float, float)>("mul.f32 d, a, b;", [](float a, float b) { return a * b; });
  t.form<float(float, float, float)>("fma.rn.f32 d, a, b, c;",
                                     [](float a, float b, float c) { return std::fma(a, b, c); });
  t.form<double(double, double, double)>(
      "fma.rn.f64 d, a, b, c;", [](double a, double b, double c) { return std::fma(a, b, c); });
  t.form<float(float, float)>("div.rn.f32 d, a, b;", [](float a, float b) { return a / b; });
  t.form<double(double, double)>("div.rn.f64 d, a, b;", [](double a, double b) { return a / b; });
  t.form<float(float)>("rcp.rn.f32 d, a;", [](float a) { return 1 / a; });
  t.form<float(float)>("sqrt.rn.f32 d, a;", [](float a) { return std::sqrt(a); });
  t.form<double(double)>("sqrt.rn.f64 d, a;", [](double a) { return std::sqrt(a); });
  t.form<float(float)>("neg.f32 d, a;", [](float a) { return -a; });
  t.form<double(double)>("abs.f64 d, a;", [](double a) { return std::fabs(a); });
  t.form<float(float, float)>("copysign.f32 d, a, b;",
                              [](float a, float b) { return std::copysign(b, a); });
  t.form<float(float, float)>("add.ftz.f32 d, a, b;",
                              [](float a, float b) { return ftz(ftz(a) + ftz(b)); });
  t.form<float(float, float)>("mul.sat.f32 d, a, b;", [](float a, float b) { return sat(a * b); });
  t.form<float(float, float)>("add.rz.f32 d, a, b;",
                              rounded(FE_TOWARDZERO, [](float a, float b) { return a + b; }));
  t.form<float(float, float)>("mul.rp.f32 d, a, b;",
                              rounded(FE_UPWARD, [](float a, float b) { return a * b; }));
  t.form<double(double, double)>("add.rm.f64 d, a, b;",
                                 rounded(FE_DOWNWARD, [](double a, double b) { return a + b; }));
  t.form<float(float, float)>("div.rm.f32 d, a, b;",
                              rounded(FE_DOWNWARD, [](float a, float b) { return a / b; }));
  t.form<float(float, float, float)>(
      "fma.rz.f32 d, a, b, c;",
      rounded(FE_TOWARDZERO, [](float a, float b, float c) { return std::fma(a, b, c); }));
}

/// Bits of NaNs: f32 has one, f64 keeps the first operand's. -b, so that two of them differ.
void nans(OpcodeTest& t) {
  const auto single = [](float value) {
    return std::isnan(value) ? U32(0x7fffffff) : std::bit_cast<U32>(value);
  };
  const auto form = [&](const std::string& op, auto host) {
    t.form<U32(float, float)>("{ .reg .f32 x; neg.f32 b, b; " + op +
                                  ".f32 x, a, b; mov.b32 d, x; }",
                              [=](float a, float b) { return single(host(a, -b)); });
    t.form<U64(double, double)>(
        "{ .reg .f64 x; neg.f64 b, b; " + op + ".f64 x, a, b; mov.b64 d, x; }",
        [=](double a, double b) {
          const double kept = std::isnan(a) ? a : std::isnan(b) ? -b : host(a, -b);
          return std::bit_cast<U64>(kept) | (std::isnan(kept) ? U64(1) << 51 : 0);
        });
  };
  form("add", [](auto a, auto b) { return a + b; });
  form("sub", [](auto a, auto b) { return a - b; });
  form("mul", [](auto a, auto b) { return a * b; });
  form("div.rn", [](auto a, auto b) { return a / b; });
  t.form<U32(float)>("{ .reg .f32 x; sqrt.rn.f32 x, a; mov.b32 d, x; }",
                     [=](float a) { return single(std::sqrt(a)); });
  t.form<U32(float)>("{ .reg .f32 x; rcp.rn.f32 x, a; mov.b32 d, x; }",
                     [=](float a) { return single(1 / a); });
  t.form<U32(float, float)>("{ .reg .f32 x; neg.f32 b, b; fma.rn.f32 x, b, a, b; mov.b32 d, x; }",
                            [=](float a, float b) { return single(std::fma(-b, a, -b)); });
}

void extremes(OpcodeTest& t) {
  t.form<float(float, float)>("min.f32 d, a, b;", smaller<float>);
  t.form<float(float, float)>("max.f32 d, a, b;", larger<float>);
  t.form<double(double, double)>("max.f64 d, a, b;", larger<double>);
  t.form<double(double, double)>("min.f64 d, a, b;", smaller<double>);
  t.form<float(float, float)>("max.NaN.f32 d, a, b;", [](float a, float b) {
    return std::isnan(a) || std::isnan(b) ? NAN : larger(a, b);
  });
}

void approximations(OpcodeTest& t) {
  t.form<float(float)>("ex2.approx.f32 d, a;", [](float a) { return std::exp2(a); });
  t.form<float(float)>("lg2.approx.f32 d, a;", [](float a) { return std::log2(a); });
  t.form<float(float)>("rsqrt.approx.f32 d, a;", [](float a) { return 1 / std::sqrt(a); });
  t.form<float(float)>("sin.approx.f32 d, a;", [](float a) { return std::sin(a); });
  t.form<float(float)>("cos.approx.f32 d, a;", [](float a) { return std::cos(a); });
  t.form<float(float)>("tanh.approx.f32 d, a;", [](float a) { return std::tanh(a); });
  t.form<float(float, float)>("div.full.f32 d, a, b;", [](float a, float b) { return a / b; });
}

template <class T> void comparisons(OpcodeTest& t, const std::string& type) {
  const auto unordered = [](T a, T b) { return std::isnan(a) || std::isnan(b); };
  const auto form = [&](const char* name, auto f) {
    t.form<bool(T, T)>("setp." + std::string(name) + type + " d, a, b;", f);
  };
  form("eq", [](T a, T b) { return a == b; });
  form("ne", [=](T a, T b) { return !unordered(a, b) && a != b; });
  form("lt", [](T a, T b) { return a < b; });
  form("le", [](T a, T b) { return a <= b; });
  form("gt", [](T a, T b) { return a > b; });
  form("ge", [](T a, T b) { return a >= b; });
  form("equ", [=](T a, T b) { return unordered(a, b) || a == b; });
  form("neu", [=](T a, T b) { return unordered(a, b) || a != b; });
  form("ltu", [=](T a, T b) { return unordered(a, b) || a < b; });
  form("leu", [=](T a, T b) { return unordered(a, b) || a <= b; });
  form("gtu", [=](T a, T b) { return unordered(a, b) || a > b; });
  form("geu", [=](T a, T b) { return unordered(a, b) || a >= b; });
  form("num", [=](T a, T b) { return !unordered(a, b); });
  form("nan", unordered);
}

template <class T> void integerComparisons(OpcodeTest& t, const std::string& type) {
  const auto form = [&](const char* name, auto f) {
    t.form<bool(T, T)>("setp." + std::string(name) + type + " d, a, b;", f);
  };
  form("eq", [](T a, T b) { return a == b; });
  form("ne", [](T a, T b) { return a != b; });
  form("lt", [](T a, T b) { return a < b; });
  form("le", [](T a, T b) { return a <= b; });
  form("gt", [](T a, T b) { return a > b; });
  form("ge", [](T a, T b) { return a >= b; });
}

void predicates(OpcodeTest& t) {
  t.form<bool(U32, U32, bool)>("setp.lo.and.u32 d, a, b, c;",
                               [](U32 a, U32 b, bool c) { return a < b && c; });
  t.form<bool(U32, U32, bool)>("setp.hs.or.u32 d, a, b, !c;",
                               [](U32 a, U32 b, bool c) { return a >= b || !c; });
  t.form<bool(U32, U32, bool)>("{ .reg .pred p; setp.eq.xor.u32 p|d, a, b, c; }",
                               [](U32 a, U32 b, bool c) { return (a != b) != c; });
  t.form<bool(bool, bool)>("and.pred d, a, b;", [](bool a, bool b) { return a && b; });
  t.form<bool(bool, bool)>("xor.pred d, a, b;", [](bool a, bool b) { return a != b; });
  t.form<bool(bool, bool)>("or.pred d, a, b;", [](bool a, bool b) { return a || b; });
  t.form<bool(bool)>("not.pred d, a;", [](bool a) { return !a; });
  t.form<U32(U32, U32)>("set.lt.u32.u32 d, a, b;", [](U32 a, U32 b) { return a < b ? ~0u : 0; });
  t.form<float(float, float)>("set.gt.f32.f32 d, a, b;",
                              [](float a, float b) { return a > b ? 1.0f : 0.0f; });
  t.form<bool(float)>("testp.finite.f32 d, a;", [](float a) { return std::isfinite(a); });
  t.form<bool(double)>("testp.notanumber.f64 d, a;", [](double a) { return std::isnan(a); });
  t.form<bool(float)>("testp.subnormal.f32 d, a;",
                      [](float a) { return std::fpclassify(a) == FP_SUBNORMAL; });
  t.form<bool(float)>("testp.normal.f32 d, a;", [](float a) { return std::isnormal(a); });
}

} // namespace

int main() {
  OpcodeTest test;
  arithmetic(test);
  nans(test);
  extremes(test);
  approximations(test);
  comparisons<float>(test, ".f32");
  comparisons<double>(test, ".f64");
  integerComparisons<uint32_t>(test, ".u32");
  integerComparisons<int32_t>(test, ".s32");
  integerComparisons<uint64_t>(test, ".u64");
  integerComparisons<int64_t>(test, ".s64");
  integerComparisons<int16_t>(test, ".s16");
  predicates(test);
  return test.run();
}
