// integer_test - integer arithmetic, logic, shifts and carries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host side is written from the PTX reference, not from the engine.
#include "OpcodeTest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

using namespace gpusched::cpu::test;

namespace {

void addAndMultiply(OpcodeTest& t) {
  t.form<U32(U32, U32)>("add.s32 d, a, b;", [](U32 a, U32 b) { return a + b; });
  t.form<U64(U64, U64)>("add.u64 d, a, b;", [](U64 a, U64 b) { return a + b; });
  t.form<U16(U16, U16)>("add.s16 d, a, b;", [](U16 a, U16 b) { return U16(a + b); });
  t.form<U32(U32)>("add.s32 d, a, -7;", [](U32 a) { return a - 7; });
  t.form<U32(U32, U32)>("sub.s32 d, a, b;", [](U32 a, U32 b) { return a - b; });
  t.form<U64(U64, U64)>("sub.s64 d, a, b;", [](U64 a, U64 b) { return a - b; });
  t.form<S32(S32, S32)>("add.sat.s32 d, a, b;", [](S32 a, S32 b) {
    return S32(std::clamp<S64>(S64(a) + b, INT32_MIN, INT32_MAX));
  });
  t.form<S32(S32, S32)>("sub.sat.s32 d, a, b;", [](S32 a, S32 b) {
    return S32(std::clamp<S64>(S64(a) - b, INT32_MIN, INT32_MAX));
  });
  t.form<U32(U32, U32)>("mul.lo.s32 d, a, b;", [](U32 a, U32 b) { return a * b; });
  t.form<U64(U64, U64)>("mul.lo.s64 d, a, b;", [](U64 a, U64 b) { return a * b; });
  t.form<U16(U16, U16)>("mul.lo.s16 d, a, b;", [](U16 a, U16 b) { return U16(U32(a) * b); });
  t.form<U32(U32, U32)>("mul.hi.u32 d, a, b;", [](U32 a, U32 b) { return U32(U64(a) * b >> 32); });
  t.form<S32(S32, S32)>("mul.hi.s32 d, a, b;", [](S32 a, S32 b) { return S32(S64(a) * b >> 32); });
  t.form<U64(U64, U64)>("mul.hi.u64 d, a, b;",
                        [](U64 a, U64 b) { return U64((unsigned __int128)a * b >> 64); });
  t.form<S64(S64, S64)>("mul.hi.s64 d, a, b;",
                        [](S64 a, S64 b) { return S64((__int128)a * b >> 64); });
  t.form<U64(U32, U32)>("mul.wide.u32 d, a, b;", [](U32 a, U32 b) { return U64(a) * b; });
  t.form<S64(S32, S32)>("mul.wide.s32 d, a, b;", [](S32 a, S32 b) { return S64(a) * b; });
  t.form<S32(S16, S16)>("mul.wide.s16 d, a, b;", [](S16 a, S16 b) { return S32(a) * b; });
  t.form<U32(U16, U16)>("mul.wide.u16 d, a, b;", [](U16 a, U16 b) { return U32(a) * b; });
  t.form<U32(U32, U32, U32)>("mad.lo.s32 d, a, b, c;",
                             [](U32 a, U32 b, U32 c) { return a * b + c; });
  t.form<U64(U64, U64, U64)>("mad.lo.u64 d, a, b, c;",
                             [](U64 a, U64 b, U64 c) { return a * b + c; });
  t.form<U32(U32, U32, U32)>("mad.hi.u32 d, a, b, c;",
                             [](U32 a, U32 b, U32 c) { return U32(U64(a) * b >> 32) + c; });
  t.form<S64(S32, S32, S64)>("mad.wide.s32 d, a, b, c;",
                             [](S32 a, S32 b, S64 c) { return S64(U64(S64(a) * b) + U64(c)); });
  t.form<S32(S32, S32)>("mul24.lo.s32 d, a, b;", [](S32 a, S32 b) {
    return S32(S64(S32(U32(a) << 8) >> 8) * (S32(U32(b) << 8) >> 8));
  });
  t.form<U32(U32, U32, U32)>("mad24.lo.u32 d, a, b, c;", [](U32 a, U32 b, U32 c) {
    return U32(U64(a & 0xffffff) * (b & 0xffffff)) + c;
  });
  t.form<U32(U32, U32)>("mul24.hi.u32 d, a, b;",
                        [](U32 a, U32 b) { return U32(U64(a & 0xffffff) * (b & 0xffffff) >> 16); });
  t.form<U32(S32, S32, U32)>("sad.s32 d, a, b, c;",
                             [](S32 a, S32 b, U32 c) { return c + U32(std::llabs(S64(a) - b)); });
  t.form<U32(U32, U32, U32)>("sad.u32 d, a, b, c;",
                             [](U32 a, U32 b, U32 c) { return c + (a < b ? b - a : a - b); });
}

void divide(OpcodeTest& t) {
  t.form<U32(U32, U32)>("or.b32 b, b, 1; div.u32 d, a, b;",
                        [](U32 a, U32 b) { return a / (b | 1); });
  t.form<S32(S32, S32)>("or.b32 b, b, 2; div.s32 d, a, b;",
                        [](S32 a, S32 b) { return S32(S64(a) / (b | 2)); });
  t.form<U64(U64, U64)>("or.b64 b, b, 1; div.u64 d, a, b;",
                        [](U64 a, U64 b) { return a / (b | 1); });
  t.form<S64(S64, S64)>("or.b64 b, b, 1; div.s64 d, a, b;",
                        [](S64 a, S64 b) { return S64((__int128)a / (b | 1)); });
  t.form<U32(U32, U32)>("or.b32 b, b, 1; rem.u32 d, a, b;",
                        [](U32 a, U32 b) { return a % (b | 1); });
  t.form<S32(S32, S32)>("or.b32 b, b, 1; rem.s32 d, a, b;",
                        [](S32 a, S32 b) { return S32(S64(a) % (b | 1)); });
  t.form<S64(S64, S64)>("or.b64 b, b, 1; rem.s64 d, a, b;",
                        [](S64 a, S64 b) { return S64((__int128)a % (b | 1)); });
  t.form<S16(S16, S16)>("or.b16 b, b, 1; div.s16 d, a, b;",
                        [](S16 a, S16 b) { return S16(a / S16(b | 1)); });
  t.form<U16(U16, U16)>("or.b16 b, b, 1; rem.u16 d, a, b;",
                        [](U16 a, U16 b) { return U16(a % (b | 1)); });
}

void unaryAndExtremes(OpcodeTest& t) {
  t.form<U32(S32)>("abs.s32 d, a;", [](S32 a) { return a < 0 ? 0u - U32(a) : U32(a); });
  t.form<U64(S64)>("abs.s64 d, a;", [](S64 a) { return a < 0 ? U64(0) - U64(a) : U64(a); });
  t.form<U32(U32)>("neg.s32 d, a;", [](U32 a) { return 0u - a; });
  t.form<U64(U64)>("neg.s64 d, a;", [](U64 a) { return U64(0) - a; });
  t.form<U16(U16)>("neg.s16 d, a;", [](U16 a) { return U16(0 - a); });
  t.form<S32(S32, S32)>("min.s32 d, a, b;", [](S32 a, S32 b) { return std::min(a, b); });
  t.form<U32(U32, U32)>("max.u32 d, a, b;", [](U32 a, U32 b) { return std::max(a, b); });
  t.form<S64(S64, S64)>("max.s64 d, a, b;", [](S64 a, S64 b) { return std::max(a, b); });
  t.form<U64(U64, U64)>("min.u64 d, a, b;", [](U64 a, U64 b) { return std::min(a, b); });
  t.form<S16(S16, S16)>("max.s16 d, a, b;", [](S16 a, S16 b) { return std::max(a, b); });
  t.form<S32(S32, S32)>("min.relu.s32 d, a, b;",
                        [](S32 a, S32 b) { return std::max(std::min(a, b), 0); });
  t.form<U32(U32)>("not.b32 d, a;", [](U32 a) { return ~a; });
  t.form<U64(U64)>("not.b64 d, a;", [](U64 a) { return ~a; });
  t.form<U32(U32)>("cnot.b32 d, a;", [](U32 a) { return U32(a == 0); });
  t.form<U32(U32, U32)>("and.b32 d, a, b;", [](U32 a, U32 b) { return a & b; });
  t.form<U64(U64, U64)>("or.b64 d, a, b;", [](U64 a, U64 b) { return a | b; });
  t.form<U16(U16, U16)>("xor.b16 d, a, b;", [](U16 a, U16 b) { return U16(a ^ b); });
  t.form<U32(U32, U32, U32)>("lop3.b32 d, a, b, c, 0x96;",
                             [](U32 a, U32 b, U32 c) { return a ^ b ^ c; });
  t.form<U32(U32, U32, U32)>("lop3.b32 d, a, b, c, 0xca;",
                             [](U32 a, U32 b, U32 c) { return (a & b) | (~a & c); });
  t.form<U32(U32, U32, U32)>("lop3.b32 d, a, b, c, 0x1e;",
                             [](U32 a, U32 b, U32 c) { return a ^ (b | c); });
}

void shifts(OpcodeTest& t) {
  t.form<U32(U32, U32)>("shl.b32 d, a, b;", [](U32 a, U32 b) { return b > 31 ? 0 : a << b; });
  t.form<U64(U64, U32)>("shl.b64 d, a, b;", [](U64 a, U32 b) { return b > 63 ? 0 : a << b; });
  t.form<U16(U16, U32)>("shl.b16 d, a, b;", [](U16 a, U32 b) { return U16(b > 15 ? 0 : a << b); });
  t.form<U32(U32, U32)>("shr.u32 d, a, b;", [](U32 a, U32 b) { return b > 31 ? 0 : a >> b; });
  t.form<S32(S32, U32)>("shr.s32 d, a, b;", [](S32 a, U32 b) { return a >> std::min(b, 31u); });
  t.form<S64(S64, U32)>("shr.s64 d, a, b;", [](S64 a, U32 b) { return a >> std::min(b, 63u); });
  t.form<U64(U64, U32)>("shr.u64 d, a, b;", [](U64 a, U32 b) { return b > 63 ? 0 : a >> b; });
  t.form<S16(S16, U32)>("shr.s16 d, a, b;",
                        [](S16 a, U32 b) { return S16(a >> std::min(b, 15u)); });
  const auto join = [](U32 a, U32 b) { return U64(b) << 32 | a; };
  t.form<U32(U32, U32, U32)>("shf.l.wrap.b32 d, a, b, c;", [=](U32 a, U32 b, U32 c) {
    return U32(join(a, b) << (c & 31) >> 32);
  });
  t.form<U32(U32, U32, U32)>("shf.r.wrap.b32 d, a, b, c;",
                             [=](U32 a, U32 b, U32 c) { return U32(join(a, b) >> (c & 31)); });
  t.form<U32(U32, U32, U32)>("shf.l.clamp.b32 d, a, b, c;", [=](U32 a, U32 b, U32 c) {
    return c > 31 ? a : U32(join(a, b) << c >> 32);
  });
  t.form<U32(U32, U32, U32)>("shf.r.clamp.b32 d, a, b, c;", [=](U32 a, U32 b, U32 c) {
    return c > 31 ? b : U32(join(a, b) >> c);
  });
}

void carries(OpcodeTest& t) {
  using U128 = unsigned __int128;
  t.form<U32(U32, U32, U32)>("add.cc.u32 d, a, b; addc.u32 d, c, 0;",
                             [](U32 a, U32 b, U32 c) { return c + U32((U64(a) + b) >> 32); });
  t.form<U64(U64, U64, U64)>("add.cc.s64 d, a, b; addc.s64 d, c, 1;",
                             [](U64 a, U64 b, U64 c) { return c + 1 + U64((U128(a) + b) >> 64); });
  t.form<U32(U32, U32, U32)>("sub.cc.u32 d, a, b; subc.u32 d, c, 5;",
                             [](U32 a, U32 b, U32 c) { return c - 5 - U32(a < b); });
  t.form<U32(U32, U32, U32)>("add.cc.u32 d, a, b; addc.cc.u32 d, b, c; addc.u32 d, d, a;",
                             [](U32 a, U32 b, U32 c) {
                               const U64 second = U64(b) + c + ((U64(a) + b) >> 32);
                               return U32(second) + a + U32(second >> 32);
                             });
  t.form<U32(U32, U32, U32)>(
      "mad.lo.cc.u32 d, a, b, c; madc.hi.u32 d, a, b, 3;",
      [](U32 a, U32 b, U32 c) { return U32(U64(a) * b >> 32) + 3 + U32((U64(a * b) + c) >> 32); });
  t.form<U64(U64, U64, U64)>("mad.lo.cc.u64 d, a, b, c; madc.hi.u64 d, a, b, 0;",
                             [](U64 a, U64 b, U64 c) { return U64((U128(a) * b + c) >> 64); });
}

/// `one` on each part of a and b, widened as `A` and `B`; parts of the result as `D`.
template <class D, class A, class B, class One> U32 parts(U32 a, U32 b, One one) {
  constexpr unsigned kBits = sizeof(D) * 8;
  U32 packed = 0;
  for (unsigned shift = 0; shift < 32; shift += kBits)
    packed |= U32(std::make_unsigned_t<D>(one(S32(A(a >> shift)), S32(B(b >> shift))))) << shift;
  return packed;
}

template <class D> S32 clamped(S32 value) {
  return std::clamp<S32>(value, std::numeric_limits<D>::min(), std::numeric_limits<D>::max());
}

void pairs(OpcodeTest& t) {
  const auto add = [](S32 a, S32 b) { return a + b; };
  const auto least = [](S32 a, S32 b) { return std::min(a, b); };
  const auto most = [](S32 a, S32 b) { return std::max(a, b); };
  using Two = U32(U32, U32);
  t.form<Two>("add.u16x2 d, a, b;", [=](U32 a, U32 b) { return parts<U16, U16, U16>(a, b, add); });
  t.form<Two>("add.s16x2 d, a, b;", [=](U32 a, U32 b) { return parts<S16, S16, S16>(a, b, add); });
  t.form<Two>("min.u16x2 d, a, b;",
              [=](U32 a, U32 b) { return parts<U16, U16, U16>(a, b, least); });
  t.form<Two>("max.u16x2 d, a, b;", [=](U32 a, U32 b) { return parts<U16, U16, U16>(a, b, most); });
  t.form<Two>("min.s16x2 d, a, b;",
              [=](U32 a, U32 b) { return parts<S16, S16, S16>(a, b, least); });
  t.form<Two>("max.s16x2 d, a, b;", [=](U32 a, U32 b) { return parts<S16, S16, S16>(a, b, most); });
  t.form<Two>("min.relu.s16x2 d, a, b;", [=](U32 a, U32 b) {
    return parts<S16, S16, S16>(a, b, [=](S32 x, S32 y) { return std::max(least(x, y), 0); });
  });
  t.form<Two>("max.relu.s16x2 d, a, b;", [=](U32 a, U32 b) {
    return parts<S16, S16, S16>(a, b, [=](S32 x, S32 y) { return std::max(most(x, y), 0); });
  });
}

void video(OpcodeTest& t) {
  using Three = U32(U32, U32, U32);
  const auto difference = [](S32 a, S32 b) { return std::abs(a - b); };
  t.form<Three>("vabsdiff4.u32.u32.u32 d, a, b, c;",
                [=](U32 a, U32 b, U32) { return parts<U8, U8, U8>(a, b, difference); });
  t.form<Three>("vabsdiff4.u32.u32.u32.add d, a, b, c;", [=](U32 a, U32 b, U32 c) {
    for (unsigned shift = 0; shift < 32; shift += 8)
      c += U32(std::abs(S32(a >> shift & 255) - S32(b >> shift & 255)));
    return c;
  });
  t.form<Three>("vabsdiff2.s32.s32.s32.sat d, a, b, c;", [=](U32 a, U32 b, U32) {
    return parts<S16, S16, S16>(a, b, [=](S32 x, S32 y) { return clamped<S16>(difference(x, y)); });
  });
  t.form<Three>("vadd4.s32.s32.u32.sat d, a, b, c;", [](U32 a, U32 b, U32) {
    return parts<S8, S8, U8>(a, b, [](S32 x, S32 y) { return clamped<S8>(x + y); });
  });
  t.form<Three>("vsub2.u32.u32.s32.sat d, a, b, c;", [](U32 a, U32 b, U32) {
    return parts<U16, U16, S16>(a, b, [](S32 x, S32 y) { return clamped<U16>(x - y); });
  });
  t.form<Three>("vavrg2.s32.s32.s32 d, a, b, c;", [](U32 a, U32 b, U32) {
    return parts<S16, S16, S16>(
        a, b, [](S32 x, S32 y) { return S32(std::floor((x + y + (x + y >= 0)) / 2.0)); });
  });
  t.form<Three>("vmin4.s32.s32.s32 d, a, b, c;", [](U32 a, U32 b, U32) {
    return parts<S8, S8, S8>(a, b, [](S32 x, S32 y) { return std::min(x, y); });
  });
  t.form<Three>("vmax2.s32.s32.s32.add d, a, b, c;", [](U32 a, U32 b, U32 c) {
    return c + U32(std::max<S32>(S16(a), S16(b))) + U32(std::max<S32>(S16(a >> 16), S16(b >> 16)));
  });
}

} // namespace

int main() {
  OpcodeTest test;
  addAndMultiply(test);
  divide(test);
  unaryAndExtremes(test);
  shifts(test);
  carries(test);
  pairs(test);
  video(test);
  return test.run();
}
