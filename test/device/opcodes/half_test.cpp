// half_test - arithmetic of f16, bf16 and their pairs, with every modifier.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host computes in 113 bits and rounds once.
#include "HostNumbers.h"
#include "OpcodeTest.h"

using namespace gpusched::cpu::test;

namespace {

using Wide = __float128;

struct Modifiers {
  bool ftz = false, sat = false, relu = false;
};

template <class Format> U16 finish(Wide value, const Modifiers& modifiers) {
  if (modifiers.relu)
    value = value > 0 || value != value ? value : Wide(0);
  if (modifiers.sat)
    value = value > 0 ? (value < 1 ? value : Wide(1)) : Wide(0);
  const U16 bits = bitsOf<Format>(value);
  return modifiers.ftz ? flushedBits<Format>(bits) : bits;
}
template <class Format> Wide number(U16 bits, const Modifiers& modifiers) {
  return valueOf<Format>(modifiers.ftz ? flushedBits<Format>(bits) : bits);
}

/// The form on single values, and on pairs of them. f takes and gives bits.
template <class F>
void both1(OpcodeTest& t, const std::string& name, const std::string& type, F f) {
  t.form<U16(U16)>(name + type + " d, a;", f);
  t.form<U32(U32)>(name + type + "x2 d, a;",
                   [=](U32 a) { return U32(f(U16(a >> 16))) << 16 | f(U16(a)); });
}
template <class F>
void both2(OpcodeTest& t, const std::string& name, const std::string& type, F f) {
  t.form<U16(U16, U16)>(name + type + " d, a, b;", f);
  t.form<U32(U32, U32)>(name + type + "x2 d, a, b;", [=](U32 a, U32 b) {
    return U32(f(U16(a >> 16), U16(b >> 16))) << 16 | f(U16(a), U16(b));
  });
}
template <class F>
void both3(OpcodeTest& t, const std::string& name, const std::string& type, F f) {
  t.form<U16(U16, U16, U16)>(name + type + " d, a, b, c;", f);
  t.form<U32(U32, U32, U32)>(name + type + "x2 d, a, b, c;", [=](U32 a, U32 b, U32 c) {
    return U32(f(U16(a >> 16), U16(b >> 16), U16(c >> 16))) << 16 | f(U16(a), U16(b), U16(c));
  });
}

template <class Format> void arithmetic(OpcodeTest& t, const Modifiers& modifiers) {
  const std::string type = std::string(".") + Format::kName;
  const std::string suffix =
      std::string(modifiers.ftz ? ".ftz" : "") + (modifiers.sat ? ".sat" : "");
  const auto form = [&](const char* name, auto f) {
    for (const char* rounding : {"", ".rn"})
      both2(t, name + (rounding + suffix), type, [=](U16 a, U16 b) {
        return finish<Format>(f(number<Format>(a, modifiers), number<Format>(b, modifiers)),
                              modifiers);
      });
  };
  form("add", [](Wide a, Wide b) { return nearSum(a, b); });
  form("sub", [](Wide a, Wide b) { return nearSum(a, -b); });
  form("mul", [](Wide a, Wide b) { return a * b; });
}

template <class Format> void fused(OpcodeTest& t, const Modifiers& modifiers) {
  const std::string name = std::string("fma.rn") + (modifiers.ftz ? ".ftz" : "") +
                           (modifiers.sat ? ".sat" : "") + (modifiers.relu ? ".relu" : "");
  both3(t, name, std::string(".") + Format::kName, [=](U16 a, U16 b, U16 c) {
    const Wide product = number<Format>(a, modifiers) * number<Format>(b, modifiers);
    return finish<Format>(nearSum(product, number<Format>(c, modifiers)), modifiers);
  });
}

/// a < b counting -0 below +0; neither is NaN.
bool below(U16 a, U16 b) {
  const auto rank = [](U16 bits) { return bits & 0x8000 ? -int(bits & 0x7fff) - 1 : int(bits); };
  return rank(a) < rank(b);
}

template <class Format> U16 extreme(U16 a, U16 b, bool max, bool nan) {
  const bool nanA = std::isnan(valueOf<Format>(a)), nanB = std::isnan(valueOf<Format>(b));
  if (nanA && nanB)
    return 0x7fff;
  if (nanA || nanB)
    return nan ? 0x7fff : nanA ? b : a;
  return below(a, b) == max ? b : a;
}

template <class Format> void extremes(OpcodeTest& t, bool ftz) {
  const std::string type = std::string(".") + Format::kName;
  for (const bool max : {false, true})
    for (const bool nan : {false, true}) {
      const std::string name =
          std::string(max ? "max" : "min") + (ftz ? ".ftz" : "") + (nan ? ".NaN" : "");
      const auto in = [=](U16 bits) { return ftz ? flushedBits<Format>(bits) : bits; };
      both2(t, name, type, [=](U16 a, U16 b) { return extreme<Format>(in(a), in(b), max, nan); });
      both2(t, name + ".xorsign.abs", type, [=](U16 a, U16 b) {
        const U16 magnitude = extreme<Format>(in(a) & 0x7fff, in(b) & 0x7fff, max, nan);
        const bool isNan = std::isnan(valueOf<Format>(magnitude));
        return U16(isNan ? magnitude : magnitude | ((a ^ b) & 0x8000));
      });
    }
}

template <class Format> void signs(OpcodeTest& t, bool ftz) {
  const std::string type = std::string(".") + Format::kName;
  const std::string suffix = ftz ? ".ftz" : "";
  const auto in = [=](U16 bits) { return ftz ? flushedBits<Format>(bits) : bits; };
  both1(t, "neg" + suffix, type, [=](U16 a) { return U16(in(a) ^ 0x8000); });
  both1(t, "abs" + suffix, type, [=](U16 a) { return U16(in(a) & 0x7fff); });
}

template <class Format> void approximations(OpcodeTest& t, bool ftz) {
  const std::string type = std::string(".") + Format::kName;
  const Modifiers modifiers{.ftz = ftz};
  both1(t, std::string("ex2.approx") + (ftz ? ".ftz" : ""), type, [=](U16 a) {
    return finish<Format>(std::exp2(float(number<Format>(a, modifiers))), modifiers);
  });
  both1(t, "tanh.approx", type,
        [](U16 a) { return bitsOf<Format>(std::tanh(float(valueOf<Format>(a)))); });
}

} // namespace

int main() {
  OpcodeTest t;
  for (const bool ftz : {false, true}) {
    for (const bool sat : {false, true}) {
      arithmetic<F16>(t, {.ftz = ftz, .sat = sat});
      fused<F16>(t, {.ftz = ftz, .sat = sat});
    }
    fused<F16>(t, {.ftz = ftz, .relu = true});
    extremes<F16>(t, ftz);
    signs<F16>(t, ftz);
  }
  arithmetic<BF16>(t, {});
  fused<BF16>(t, {});
  fused<BF16>(t, {.relu = true});
  extremes<BF16>(t, false);
  signs<BF16>(t, false);
  approximations<F16>(t, false);
  approximations<BF16>(t, true);
  return t.run();
}
