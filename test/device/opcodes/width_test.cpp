// width_test - integer arithmetic, logic and carries at every type that has them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are computed in 128 bits and cut.
#include "OpcodeTest.h"

#include <algorithm>
#include <array>

using namespace gpusched::cpu::test;

namespace {

using Wide = __int128;
using UWide = unsigned __int128;

template <class T> constexpr unsigned kBits = sizeof(T) * 8;
template <class T> std::string suffix() {
  return (std::is_signed_v<T> ? ".s" : ".u") + std::to_string(kBits<T>);
}
template <class T> struct DoubleOf;
template <> struct DoubleOf<U16> {
  using Type = U32;
};
template <> struct DoubleOf<U32> {
  using Type = U64;
};
template <> struct DoubleOf<int16_t> {
  using Type = int32_t;
};
template <> struct DoubleOf<int32_t> {
  using Type = int64_t;
};

/// The upper half of a product.
template <class T> T high(T a, T b) {
  return std::is_signed_v<T> ? T((Wide(a) * Wide(b)) >> kBits<T>)
                             : T((UWide(a) * UWide(b)) >> kBits<T>);
}
template <class T> T low(T a, T b) {
  return T(UWide(a) * UWide(b));
}

template <class T> void arithmetic(OpcodeTest& t) {
  const std::string s = suffix<T>();
  t.form<T(T, T)>("add" + s + " d, a, b;", [](T a, T b) { return T(UWide(a) + UWide(b)); });
  t.form<T(T, T)>("sub" + s + " d, a, b;", [](T a, T b) { return T(UWide(a) - UWide(b)); });
  t.form<T(T, T)>("mul.lo" + s + " d, a, b;", low<T>);
  t.form<T(T, T)>("mul.hi" + s + " d, a, b;", high<T>);
  t.form<T(T, T, T)>("mad.lo" + s + " d, a, b, c;",
                     [](T a, T b, T c) { return T(UWide(low(a, b)) + UWide(c)); });
  t.form<T(T, T, T)>("mad.hi" + s + " d, a, b, c;",
                     [](T a, T b, T c) { return T(UWide(high(a, b)) + UWide(c)); });
  t.form<T(T, T, T)>("sad" + s + " d, a, b, c;", [](T a, T b, T c) {
    return T(UWide(c) + (a < b ? UWide(b) - UWide(a) : UWide(a) - UWide(b)));
  });
  const std::string one = "or.b" + std::to_string(kBits<T>) + " b, b, 1; ";
  t.form<T(T, T)>(one + "div" + s + " d, a, b;", [](T a, T b) { return T(Wide(a) / T(b | 1)); });
  t.form<T(T, T)>(one + "rem" + s + " d, a, b;", [](T a, T b) { return T(Wide(a) % T(b | 1)); });
  t.form<T(T, T)>("min" + s + " d, a, b;", [](T a, T b) { return std::min(a, b); });
  t.form<T(T, T)>("max" + s + " d, a, b;", [](T a, T b) { return std::max(a, b); });
  t.form<T(T, U32)>("shr" + s + " d, a, b;", [](T a, U32 b) {
    return T(Wide(a) >> std::min(b, kBits<T> - (std::is_signed_v<T> ? 1 : 0)));
  });
  if constexpr (std::is_signed_v<T>) {
    t.form<T(T)>("abs" + s + " d, a;", [](T a) { return T(a < 0 ? -UWide(a) : UWide(a)); });
    t.form<T(T)>("neg" + s + " d, a;", [](T a) { return T(-UWide(a)); });
  }
}

template <class T> void widening(OpcodeTest& t) {
  using D = typename DoubleOf<T>::Type;
  const std::string s = suffix<T>();
  t.form<D(T, T)>("mul.wide" + s + " d, a, b;", [](T a, T b) { return D(D(a) * D(b)); });
  t.form<D(T, T, D)>("mad.wide" + s + " d, a, b, c;",
                     [](T a, T b, D c) { return D(UWide(D(a) * D(b)) + UWide(c)); });
}

template <class T> void logic(OpcodeTest& t) {
  const std::string s = ".b" + std::to_string(kBits<T>);
  t.form<T(T, T)>("and" + s + " d, a, b;", [](T a, T b) { return T(a & b); });
  t.form<T(T, T)>("or" + s + " d, a, b;", [](T a, T b) { return T(a | b); });
  t.form<T(T, T)>("xor" + s + " d, a, b;", [](T a, T b) { return T(a ^ b); });
  t.form<T(T)>("not" + s + " d, a;", [](T a) { return T(~a); });
  t.form<T(T)>("cnot" + s + " d, a;", [](T a) { return T(a == 0); });
  t.form<T(T)>("mov" + s + " d, a;", [](T a) { return a; });
  t.form<T(T, U32)>("shl" + s + " d, a, b;",
                    [](T a, U32 b) { return b < kBits<T> ? T(UWide(a) << b) : T(0); });
  t.form<T(T, U32)>("shr" + s + " d, a, b;",
                    [](T a, U32 b) { return b < kBits<T> ? T(a >> b) : T(0); });
}

template <class T> T clampTo(Wide value) {
  return T(std::clamp<Wide>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

void saturating(OpcodeTest& t) {
  t.form<S32(S32, S32)>("add.sat.s32 d, a, b;",
                        [](S32 a, S32 b) { return clampTo<S32>(Wide(a) + b); });
  t.form<S32(S32, S32)>("sub.sat.s32 d, a, b;",
                        [](S32 a, S32 b) { return clampTo<S32>(Wide(a) - b); });
  t.form<S32(S32, S32, S32)>("mad.hi.sat.s32 d, a, b, c;", [](S32 a, S32 b, S32 c) {
    return clampTo<S32>(Wide(high(a, b)) + c);
  });
  for (const bool max : {false, true})
    t.form<S32(S32, S32)>(
        std::string(max ? "max" : "min") + ".relu.s32 d, a, b;",
        [=](S32 a, S32 b) { return std::max(max ? std::max(a, b) : std::min(a, b), 0); });
}

/// The low 24 bits of a value, with its sign.
template <class T> Wide low24(T a) {
  return std::is_signed_v<T> ? Wide(int32_t(U32(a) << 8) >> 8) : Wide(U32(a) & 0xffffff);
}

template <class T> void products24(OpcodeTest& t) {
  const std::string s = suffix<T>();
  const auto product = [](T a, T b) { return low24(a) * low24(b); };
  t.form<T(T, T)>("mul24.lo" + s + " d, a, b;", [=](T a, T b) { return T(product(a, b)); });
  t.form<T(T, T)>("mul24.hi" + s + " d, a, b;", [=](T a, T b) { return T(product(a, b) >> 16); });
  t.form<T(T, T, T)>("mad24.lo" + s + " d, a, b, c;",
                     [=](T a, T b, T c) { return T(U32(product(a, b)) + U32(c)); });
  t.form<T(T, T, T)>("mad24.hi" + s + " d, a, b, c;",
                     [=](T a, T b, T c) { return T(U32(product(a, b) >> 16) + U32(c)); });
  if (std::is_signed_v<T>)
    t.form<T(T, T, T)>("mad24.hi.sat.s32 d, a, b, c;",
                       [=](T a, T b, T c) { return clampTo<T>(Wide(T(product(a, b) >> 16)) + c); });
}

/// Two instructions that pass a carry, and one that shows the second's.
template <class T> void carries(OpcodeTest& t) {
  using U = std::make_unsigned_t<T>;
  const std::string s = suffix<T>();
  const auto sum = [](UWide value) { return std::array<U, 2>{U(value), U(value >> kBits<U>)}; };
  t.form<U(U, U, U)>("add.cc" + s + " d, a, b; addc" + s + " d, c, d;", [=](U a, U b, U c) {
    const auto first = sum(UWide(a) + b);
    return U(UWide(c) + first[0] + first[1]);
  });
  t.form<U(U, U, U)>("add.cc" + s + " d, a, b; addc.cc" + s + " d, b, c; addc" + s + " d, d, 0;",
                     [=](U a, U b, U c) {
                       const auto second = sum(UWide(b) + c + sum(UWide(a) + b)[1]);
                       return U(UWide(second[0]) + second[1]);
                     });
  t.form<U(U, U, U)>("sub.cc" + s + " d, a, b; subc" + s + " d, c, d;",
                     [=](U a, U b, U c) { return U(UWide(c) - U(a - b) - (a < b)); });
  t.form<U(U, U, U)>("sub.cc" + s + " d, a, b; subc.cc" + s + " d, b, c; subc" + s + " d, d, 0;",
                     [=](U a, U b, U c) {
                       const UWide second = UWide(b) - c - (a < b);
                       return U(U(second) - U(UWide(b) < UWide(c) + (a < b)));
                     });
  const auto part = [](bool isHigh, U a, U b) { return isHigh ? U(high(T(a), T(b))) : low(a, b); };
  for (const bool isHigh : {false, true}) {
    const std::string which = isHigh ? ".hi" : ".lo";
    t.form<U(U, U, U)>("mad" + which + ".cc" + s + " d, a, b, c; addc" + s + " d, d, 0;",
                       [=](U a, U b, U c) {
                         const auto first = sum(UWide(part(isHigh, a, b)) + c);
                         return U(UWide(first[0]) + first[1]);
                       });
    t.form<U(U, U, U)>(
        "add.cc" + s + " d, a, b; madc" + which + s + " d, a, b, c;",
        [=](U a, U b, U c) { return U(UWide(part(isHigh, a, b)) + c + sum(UWide(a) + b)[1]); });
    t.form<U(U, U, U)>(
        "add.cc" + s + " d, a, b; madc" + which + ".cc" + s + " d, a, b, c; addc" + s + " d, d, 0;",
        [=](U a, U b, U c) {
          const auto second = sum(UWide(part(isHigh, a, b)) + c + sum(UWide(a) + b)[1]);
          return U(UWide(second[0]) + second[1]);
        });
  }
}

template <bool kA, bool kB> void dots(OpcodeTest& t) {
  const std::string s = std::string(kA ? ".s32" : ".u32") + (kB ? ".s32" : ".u32");
  for (const bool upper : {false, true})
    t.form<U32(U32, U32, U32)>(std::string("dp2a") + (upper ? ".hi" : ".lo") + s + " d, a, b, c;",
                               [=](U32 a, U32 b, U32 c) {
                                 for (unsigned i = 0; i < 2; ++i) {
                                   const U32 byte = b >> (8 * (i + (upper ? 2 : 0)));
                                   const Wide x =
                                       kA ? Wide(int16_t(a >> (16 * i))) : Wide(U16(a >> (16 * i)));
                                   const Wide y = kB ? Wide(int8_t(byte)) : Wide(uint8_t(byte));
                                   c += U32(x * y);
                                 }
                                 return c;
                               });
}

void fields(OpcodeTest& t) {
  for (const bool clamp : {false, true}) {
    const std::string mode = clamp ? ".clamp" : ".wrap";
    const auto width = [=](U32 n) { return clamp ? std::min(n, 32u) : n & 31; };
    t.form<U32(U32, U32)>("szext" + mode + ".u32 d, a, b;",
                          [=](U32 a, U32 n) { return U32(a & ((U64(1) << width(n)) - 1)); });
    t.form<S32(S32, U32)>("szext" + mode + ".s32 d, a, b;", [=](S32 a, U32 n) {
      return width(n) ? S32(int64_t(U64(U32(a)) << (64 - width(n))) >> (64 - width(n))) : 0;
    });
    t.form<U32(U32, U32)>("bmsk" + mode + ".b32 d, a, b;", [=](U32 a, U32 b) {
      const U32 at = clamp ? std::min(a, 32u) : a & 31;
      return U32((((U64(1) << width(b)) - 1)) << at);
    });
  }
  const auto shift = [](auto bits) {
    constexpr unsigned kTop = kBits<decltype(bits)> - 1;
    U32 place = 0;
    while (place <= kTop && !(bits >> (kTop - place) & 1))
      ++place;
    return place > kTop ? ~0u : place;
  };
  t.form<U32(S32)>("bfind.shiftamt.s32 d, a;", [=](S32 a) { return shift(U32(a < 0 ? ~a : a)); });
  t.form<U32(U64)>("bfind.shiftamt.u64 d, a;", [=](U64 a) { return shift(a); });
  t.form<U32(int64_t)>("bfind.shiftamt.s64 d, a;",
                       [=](int64_t a) { return shift(U64(a < 0 ? ~a : a)); });
  t.form<U32(U32, U32, S32)>("and.b32 b, b, 31; rem.s32 c, c, 35; fns.b32 d, a, b, c;",
                             [](U32 a, U32 b, S32 c) {
                               const int base = int(b & 31), step = c % 35 < 0 ? -1 : 1;
                               int left = c % 35;
                               if (left == 0)
                                 return a >> base & 1 ? U32(base) : ~0u;
                               for (int i = base; i >= 0 && i < 32; i += step)
                                 if ((a >> i & 1) && (left -= step) == 0)
                                   return U32(i);
                               return ~0u;
                             });
}

} // namespace

int main() {
  OpcodeTest t;
  arithmetic<U16>(t), arithmetic<int16_t>(t), arithmetic<U32>(t), arithmetic<int32_t>(t);
  arithmetic<U64>(t), arithmetic<int64_t>(t);
  widening<U16>(t), widening<int16_t>(t), widening<U32>(t), widening<int32_t>(t);
  logic<U16>(t), logic<U32>(t), logic<U64>(t);
  saturating(t);
  products24<U32>(t), products24<int32_t>(t);
  carries<U32>(t), carries<int32_t>(t), carries<U64>(t), carries<int64_t>(t);
  dots<false, false>(t), dots<false, true>(t), dots<true, false>(t), dots<true, true>(t);
  fields(t);
  return t.run();
}
