// comparison_test - setp and set: every comparison, combination and type; slct, selp and testp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostNumbers.h"
#include "OpcodeTest.h"

using namespace gpusched::cpu::test;

namespace {

struct Comparison {
  const char* name;
  bool equal, less, greater, unordered; // for which outcomes it holds
};
constexpr Comparison kOrdered[] = {
    {"eq", true, false, false, false}, {"ne", false, true, true, false},
    {"lt", false, true, false, false}, {"le", true, true, false, false},
    {"gt", false, false, true, false}, {"ge", true, false, true, false}};
constexpr Comparison kUnsigned[] = {{"lo", false, true, false, false},
                                    {"ls", true, true, false, false},
                                    {"hi", false, false, true, false},
                                    {"hs", true, false, true, false}};
constexpr Comparison kUnordered[] = {
    {"equ", true, false, false, true}, {"neu", false, true, true, true},
    {"ltu", false, true, false, true}, {"leu", true, true, false, true},
    {"gtu", false, false, true, true}, {"geu", true, false, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true}};

template <class T> bool holds(const Comparison& comparison, T a, T b) {
  return a == b  ? comparison.equal
         : a < b ? comparison.less
         : a > b ? comparison.greater
                 : comparison.unordered;
}

struct Boolean {
  const char* name;
  int op; // 0 none, 1 and, 2 or, 3 xor
  bool apply(bool value, bool c) const {
    return op == 1 ? value && c : op == 2 ? value || c : op == 3 ? value != c : value;
  }
};
constexpr Boolean kBooleans[] = {{"", 0}, {".and", 1}, {".or", 2}, {".xor", 3}};

template <class D> D asResult(bool value) {
  if constexpr (std::is_same_v<D, float>)
    return value ? 1.0f : 0.0f;
  else
    return value ? D(~D(0)) : D(0);
}

/// The forms of one comparison at one type; `value` reads an operand as a number.
template <class T, class V>
void formsOf(OpcodeTest& t, const Comparison& comparison, const std::string& ftz,
             const std::string& type, V value) {
  for (const Boolean& boolean : kBooleans) {
    const std::string name = std::string(comparison.name) + boolean.name + ftz;
    const std::string operands = boolean.op ? " d, a, b, c;" : " d, a, b;";
    const auto result = [=](T a, T b, bool c) {
      return boolean.apply(holds(comparison, value(a), value(b)), c);
    };
    t.form<bool(T, T, bool)>("setp." + name + type + operands, result);
    t.form<U32(T, T, bool)>("set." + name + ".u32" + type + operands,
                            [=](T a, T b, bool c) { return asResult<U32>(result(a, b, c)); });
    t.form<U32(T, T, bool)>("set." + name + ".s32" + type + operands,
                            [=](T a, T b, bool c) { return asResult<U32>(result(a, b, c)); });
    for (const char* bits : {".u16", ".s16"})
      if (type.find("f16") != std::string::npos)
        t.form<U16(T, T, bool)>("set." + name + bits + type + operands,
                                [=](T a, T b, bool c) { return asResult<U16>(result(a, b, c)); });
    for (const bool brain : {false, true})
      if (type != (brain ? ".f16" : ".bf16"))
        t.form<U16(T, T, bool)>(
            "set." + name + (brain ? ".bf16" : ".f16") + type + operands,
            [=](T a, T b, bool c) { return U16(result(a, b, c) ? (brain ? 0x3f80 : 0x3c00) : 0); });
    if (type.find("f16") == std::string::npos)
      t.form<float(T, T, bool)>("set." + name + ".f32" + type + operands,
                                [=](T a, T b, bool c) { return asResult<float>(result(a, b, c)); });
  }
}

template <class T> void integers(OpcodeTest& t, const std::string& type) {
  const auto same = [](T a) { return a; };
  const bool bits = type[1] == 'b', isUnsigned = type[1] == 'u';
  for (const Comparison& comparison : kOrdered)
    if (!bits || comparison.equal != comparison.less)
      if (!bits || std::string(comparison.name) == "eq" || std::string(comparison.name) == "ne")
        formsOf<T>(t, comparison, "", type, same);
  if (isUnsigned)
    for (const Comparison& comparison : kUnsigned)
      formsOf<T>(t, comparison, "", type, same);
}

template <class T, class V>
void floats(OpcodeTest& t, const std::string& ftz, const std::string& type, V value) {
  for (const Comparison& comparison : kOrdered)
    formsOf<T>(t, comparison, ftz, type, value);
  for (const Comparison& comparison : kUnordered)
    formsOf<T>(t, comparison, ftz, type, value);
}

/// Two 16-bit floats at once: setp gives a predicate for each, set a value for each.
template <class Format>
void pairs(OpcodeTest& t, const Comparison& comparison, const std::string& ftz) {
  const std::string type = std::string(".") + Format::kName + "x2";
  const auto number = [=](U32 bits) {
    return valueOf<Format>(ftz.empty() ? U16(bits) : flushedBits<Format>(U16(bits)));
  };
  const auto low = [=](U32 a, U32 b) { return holds(comparison, number(a), number(b)); };
  const auto high = [=](U32 a, U32 b) { return low(a >> 16, b >> 16); };
  for (const Boolean& boolean : kBooleans) {
    const std::string name = std::string(comparison.name) + boolean.name + ftz;
    const std::string c = boolean.op ? ", c;" : ";";
    t.form<bool(U32, U32, bool)>(
        "{ .reg .pred q; setp." + name + type + " d|q, a, b" + c + " }",
        [=](U32 a, U32 b, bool with) { return boolean.apply(low(a, b), with); });
    t.form<bool(U32, U32, bool)>(
        "{ .reg .pred q; setp." + name + type + " q|d, a, b" + c + " }",
        [=](U32 a, U32 b, bool with) { return boolean.apply(high(a, b), with); });
    const U32 one = std::string(Format::kName) == "f16" ? 0x3c00 : 0x3f80;
    for (const std::string& result : {type, std::string(".u32"), std::string(".s32")}) {
      const U32 yes = result == type ? one : 0xffff;
      t.form<U32(U32, U32, bool)>("set." + name + result + type + " d, a, b" + c,
                                  [=](U32 a, U32 b, bool with) {
                                    return (boolean.apply(low(a, b), with) ? yes : 0) |
                                           (boolean.apply(high(a, b), with) ? yes << 16 : 0);
                                  });
    }
  }
}

template <class Format> void halves(OpcodeTest& t, const std::string& ftz) {
  const auto number = [=](U16 bits) {
    return valueOf<Format>(ftz.empty() ? bits : flushedBits<Format>(bits));
  };
  floats<U16>(t, ftz, std::string(".") + Format::kName, number);
  for (const Comparison& comparison : kOrdered)
    pairs<Format>(t, comparison, ftz);
  for (const Comparison& comparison : kUnordered)
    pairs<Format>(t, comparison, ftz);
}

template <class T> void selections(OpcodeTest& t, const std::string& type) {
  t.form<T(T, T, bool)>("selp" + type + " d, a, b, c;", [](T a, T b, bool c) { return c ? a : b; });
  t.form<T(T, T, int32_t)>("slct" + type + ".s32 d, a, b, c;",
                           [](T a, T b, int32_t c) { return c >= 0 ? a : b; });
  t.form<T(T, T, float)>("slct" + type + ".f32 d, a, b, c;",
                         [](T a, T b, float c) { return c >= 0 ? a : b; });
  t.form<T(T, T, float)>("slct.ftz" + type + ".f32 d, a, b, c;",
                         [](T a, T b, float c) { return flushed(c) >= 0 ? a : b; });
}

template <class T> void tests(OpcodeTest& t, const std::string& type) {
  const auto form = [&](const char* name, auto f) {
    t.form<bool(T)>("testp." + std::string(name) + type + " d, a;", f);
  };
  form("finite", [](T a) { return std::isfinite(a); });
  form("infinite", [](T a) { return std::isinf(a); });
  form("number", [](T a) { return !std::isnan(a); });
  form("notanumber", [](T a) { return std::isnan(a); });
  form("normal", [](T a) { return std::isnormal(a); });
  form("subnormal", [](T a) { return std::fpclassify(a) == FP_SUBNORMAL; });
}

} // namespace

int main() {
  OpcodeTest t;
  integers<U16>(t, ".b16"), integers<U32>(t, ".b32"), integers<U64>(t, ".b64");
  integers<U16>(t, ".u16"), integers<U32>(t, ".u32"), integers<U64>(t, ".u64");
  integers<int16_t>(t, ".s16"), integers<int32_t>(t, ".s32"), integers<int64_t>(t, ".s64");
  floats<float>(t, "", ".f32", [](float a) { return a; });
  floats<float>(t, ".ftz", ".f32", flushed);
  floats<double>(t, "", ".f64", [](double a) { return a; });
  halves<F16>(t, ""), halves<F16>(t, ".ftz"), halves<BF16>(t, "");
  for (const char* sign : {".b", ".u", ".s"}) {
    selections<U16>(t, std::string(sign) + "16");
    selections<U32>(t, std::string(sign) + "32");
    selections<U64>(t, std::string(sign) + "64");
  }
  selections<float>(t, ".f32"), selections<double>(t, ".f64");
  tests<float>(t, ".f32"), tests<double>(t, ".f64");
  return t.run();
}
