// video_test - the scalar video instructions, and sets of SIMD ones.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host side is written from the PTX reference, not from the engine.
#include "OpcodeTest.h"

#include <algorithm>

using namespace gpusched::cpu::test;

namespace {

using Two = U32(U32, U32);
using Three = U32(U32, U32, U32);

template <class T> S64 clamped(S64 value) {
  return std::clamp<S64>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

void sums(OpcodeTest& t) {
  t.form<Two>("vadd.u32.u32.u32 d, a, b;", [](U32 a, U32 b) { return a + b; });
  t.form<Two>("vadd.s32.u32.s32.sat d, a, b;",
              [](U32 a, U32 b) { return U32(clamped<S32>(S64(a) + S32(b))); });
  t.form<Two>("vadd.u32.s32.s32.sat d, a.b1, b.h1;",
              [](U32 a, U32 b) { return U32(clamped<U32>(S64(S8(a >> 8)) + S16(b >> 16))); });
  t.form<Two>("vsub.s32.u32.u32.sat d, a, b;",
              [](U32 a, U32 b) { return U32(clamped<S32>(S64(a) - S64(b))); });
  t.form<Two>("vsub.u32.u32.u32 d, a.b3, b.b0;",
              [](U32 a, U32 b) { return (a >> 24) - (b & 255); });
  t.form<Two>("vabsdiff.s32.s32.s32.sat d, a, b;",
              [](U32 a, U32 b) { return U32(clamped<S32>(std::abs(S64(S32(a)) - S32(b)))); });
  t.form<Three>("vabsdiff.u32.u32.u32.add d, a, b, c;",
                [](U32 a, U32 b, U32 c) { return (a > b ? a - b : b - a) + c; });
  t.form<Three>("vadd.s32.s32.s32.min d, a, b, c;",
                [](U32 a, U32 b, U32 c) { return U32(std::min(S32(a + b), S32(c))); });
  t.form<Three>("vadd.u32.u32.u32.max d, a, b, c;",
                [](U32 a, U32 b, U32 c) { return std::max(a + b, c); });
  t.form<Three>("vadd.u32.u32.u32 d.h1, a, b, c;",
                [](U32 a, U32 b, U32 c) { return (c & 0xffff) | (a + b) << 16; });
  t.form<Three>("vsub.s32.s32.s32.sat d.b2, a, b.h0, c;", [](U32 a, U32 b, U32 c) {
    const U32 byte = U8(clamped<S8>(S64(S32(a)) - S16(b)));
    return (c & 0xff00ffff) | byte << 16;
  });
}

void extremes(OpcodeTest& t) {
  t.form<Two>("vmin.s32.s32.u32 d, a, b;",
              [](U32 a, U32 b) { return U32(std::min(S64(S32(a)), S64(b))); });
  t.form<Two>("vmin.u32.u32.u32 d, a.h0, b;", [](U32 a, U32 b) { return std::min(a & 0xffff, b); });
  t.form<Two>("vmax.s32.s32.s32 d, a, b.b2;",
              [](U32 a, U32 b) { return U32(std::max(S32(a), S32(S8(b >> 16)))); });
  t.form<Three>("vmax.u32.u32.u32.add d, a, b, c;",
                [](U32 a, U32 b, U32 c) { return std::max(a, b) + c; });
  t.form<Three>("vmax.s32.s32.s32 d.b0, a, b, c;", [](U32 a, U32 b, U32 c) {
    return (c & 0xffffff00) | (U32(std::max(S32(a), S32(b))) & 255);
  });
}

void shifts(OpcodeTest& t) {
  t.form<Two>("vshl.u32.u32.u32.clamp d, a, b;", [](U32 a, U32 b) { return b > 31 ? 0 : a << b; });
  t.form<Two>("vshl.s32.s32.u32.sat.wrap d, a, b;",
              [](U32 a, U32 b) { return U32(clamped<S32>(S64(S32(a)) * (S64(1) << (b & 31)))); });
  t.form<Two>("vshr.u32.u32.u32.wrap d, a, b.b1;", [](U32 a, U32 b) { return a >> (b >> 8 & 31); });
  t.form<Two>("vshr.s32.s32.u32.clamp d, a, b;",
              [](U32 a, U32 b) { return U32(S32(a) >> std::min(b, 31u)); });
  t.form<Three>("vshr.s32.s32.u32.clamp.add d, a.h1, b, c;",
                [](U32 a, U32 b, U32 c) { return U32(S16(a >> 16) >> std::min(b, 31u)) + c; });
}

void multiplyAdd(OpcodeTest& t) {
  t.form<Three>("vmad.u32.u32.u32 d, a, b, c;", [](U32 a, U32 b, U32 c) { return a * b + c; });
  t.form<Three>("vmad.s32.s32.s32.shr15 d, a, b, c;",
                [](U32 a, U32 b, U32 c) { return U32((S64(S32(a)) * S32(b) + S32(c)) >> 15); });
  t.form<Three>("vmad.s32.s32.u32.shr7 d, a.h0, b.b1, c;", [](U32 a, U32 b, U32 c) {
    return U32((S64(S16(a)) * (b >> 8 & 255) + S32(c)) >> 7);
  });
  t.form<Three>("vmad.u32.u32.u32.po d, a, b, c;",
                [](U32 a, U32 b, U32 c) { return a * b + c + 1; });
  t.form<Three>("vmad.s32.s32.s32.sat d, a, b, c;", [](U32 a, U32 b, U32 c) {
    return U32(clamped<S32>(S64(S32(a)) * S32(b) + S32(c)));
  });
}

/// The sum is a 128-bit one of the reference's text; it is signed, since something is negated.
void negated(OpcodeTest& t) {
  using Wide = __int128;
  t.form<Three>("vmad.u32.u32.u32 d, -a, b, c;", [](U32 a, U32 b, U32 c) { return c - a * b; });
  t.form<Three>("vmad.u32.u32.u32 d, -a, -b, c;", [](U32 a, U32 b, U32 c) { return a * b + c; });
  t.form<Three>("vmad.s32.s32.u32.sat d, a.h1, -b.b2, c;", [](U32 a, U32 b, U32 c) {
    return U32(clamped<S32>(S64(S32(c)) - S64(S16(a >> 16)) * S64(b >> 16 & 255)));
  });
  t.form<Three>("vmad.u32.u32.u32.sat.shr7 d, -a, b, c;", [](U32 a, U32 b, U32 c) {
    const Wide sum = (Wide(S32(c)) - Wide(a) * b) >> 7;
    return U32(S32(
        std::clamp<Wide>(sum, std::numeric_limits<S32>::min(), std::numeric_limits<S32>::max())));
  });
  t.form<Three>("vmad.u32.u32.u32.shr15 d, a.h0, b.h0, -c;", [](U32 a, U32 b, U32 c) {
    return U32((S64(a & 0xffff) * (b & 0xffff) + S32(~c) + 1) >> 15);
  });
  t.form<Three>("vmad.s32.s32.s32.sat d, a, b, -c;", [](U32 a, U32 b, U32 c) {
    return U32(clamped<S32>(S64(S32(a)) * S32(b) + S32(~c) + 1));
  });
  t.form<Three>("vmad.s32.s32.s32.po.shr7 d, a, b, c;",
                [](U32 a, U32 b, U32 c) { return U32((S64(S32(a)) * S32(b) + S32(c) + 1) >> 7); });
  t.form<Three>("vmad.u32.u32.u32.po.sat.shr15 d, a.b0, b.h1, c;",
                [](U32 a, U32 b, U32 c) { return U32((U64(a & 255) * (b >> 16) + c + 1) >> 15); });
}

void sets(OpcodeTest& t) {
  t.form<Two>("vset.u32.u32.lt d, a, b;", [](U32 a, U32 b) { return U32(a < b); });
  t.form<Two>("vset.s32.u32.ge d, a, b;", [](U32 a, U32 b) { return U32(S64(S32(a)) >= S64(b)); });
  t.form<Two>("vset.u32.u32.eq d, a.b0, b.b3;",
              [](U32 a, U32 b) { return U32((a & 255) == b >> 24); });
  t.form<Three>("vset.s32.s32.ne.add d, a.h0, b.h1, c;",
                [](U32 a, U32 b, U32 c) { return c + U32(S16(a) != S16(b >> 16)); });
  t.form<Three>("vset.u32.u32.le.max d, a, b, c;",
                [](U32 a, U32 b, U32 c) { return std::max(U32(a <= b), c); });
  t.form<Three>("vset.u32.u32.gt d.h0, a, b, c;",
                [](U32 a, U32 b, U32 c) { return (c & 0xffff0000) | U32(a > b); });
}

/// The sum of 1 << shift over the parts that `holds(a's, b's)`; or their number.
template <class Part, class Holds> U32 parts(U32 a, U32 b, Holds holds, bool count = false) {
  U32 sum = 0;
  for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(Part))
    if (holds(S32(Part(a >> shift)), S32(Part(b >> shift))))
      sum += count ? 1 : 1u << shift;
  return sum;
}

void simdSets(OpcodeTest& t) {
  const auto less = [](S32 a, S32 b) { return a < b; };
  t.form<Three>("vset4.u32.u32.lt d, a, b, c;",
                [=](U32 a, U32 b, U32) { return parts<U8>(a, b, less); });
  t.form<Three>("vset4.s32.s32.lt.add d, a, b, c;",
                [=](U32 a, U32 b, U32 c) { return c + parts<S8>(a, b, less, true); });
  t.form<Three>("vset4.u32.u32.eq d, a, b, c;", [](U32 a, U32 b, U32) {
    return parts<U8>(a, b, [](S32 x, S32 y) { return x == y; });
  });
  t.form<Three>("vset2.s32.s32.ge d, a, b, c;", [](U32 a, U32 b, U32) {
    return parts<S16>(a, b, [](S32 x, S32 y) { return x >= y; });
  });
  t.form<Three>("vset2.u32.u32.ne.add d, a, b, c;", [](U32 a, U32 b, U32 c) {
    return c + parts<U16>(a, b, [](S32 x, S32 y) { return x != y; }, true);
  });
}

/// Part `index` of the parts of a followed by those of b.
template <class Part> S32 partOf(U32 a, U32 b, unsigned index) {
  return S32(Part((U64(b) << 32 | a) >> 8 * sizeof(Part) * index));
}

/// Named parts come from both registers, others of the result from c.
void selectors(OpcodeTest& t) {
  t.form<Three>("vadd4.u32.u32.u32 d.b20, a.b7210, b.b3654, c;", [](U32 a, U32 b, U32 c) {
    const U32 lowest = U8(partOf<U8>(a, b, 0) + partOf<U8>(a, b, 4));
    const U32 third = U8(partOf<U8>(a, b, 2) + partOf<U8>(a, b, 6));
    return (c & 0xff00ff00) | third << 16 | lowest;
  });
  t.form<Three>("vsub4.s32.u32.s32.sat d, a.b0011, b.b4567, c;", [](U32 a, U32 b, U32) {
    const unsigned fromA[] = {1, 1, 0, 0}, fromB[] = {7, 6, 5, 4};
    U32 result = 0;
    for (unsigned i = 0; i < 4; ++i)
      result |= U32(U8(clamped<S8>(partOf<U8>(a, b, fromA[i]) - partOf<S8>(a, b, fromB[i]))))
                << 8 * i;
    return result;
  });
  t.form<Three>("vmax2.s32.s32.s32 d.h1, a.h30, b.h12, c;", [](U32 a, U32 b, U32 c) {
    return (c & 0xffff) | U32(std::max(partOf<S16>(a, b, 3), partOf<S16>(a, b, 1))) << 16;
  });
  t.form<Three>("vavrg2.u32.u32.u32 d.h10, a.h33, b.h00, c;", [](U32 a, U32 b, U32) {
    const U32 mean = (b >> 16) + (a & 0xffff) + 1;
    return (mean >> 1) * 0x10001u;
  });
  t.form<Three>("vmin4.u32.u32.u32 d.b3, a, b, c;", [](U32 a, U32 b, U32 c) {
    return (c & 0xffffff) | std::min(a >> 24, b >> 24) << 24;
  });
  t.form<Three>("vset4.s32.u32.ge d.b210, a.b3333, b, c;", [](U32 a, U32 b, U32 c) {
    U32 result = c & 0xff000000;
    for (unsigned i = 0; i < 3; ++i)
      result |= U32(S8(a >> 24) >= S32(U8(b >> 8 * i))) << 8 * i;
    return result;
  });
}

/// Sums take what a part could not hold.
void sumsOfParts(OpcodeTest& t) {
  t.form<Three>("vadd4.u32.u32.u32.add d, a, b, c;", [](U32 a, U32 b, U32 c) {
    for (unsigned i = 0; i < 4; ++i)
      c += U8(a >> 8 * i) + U8(b >> 8 * i);
    return c;
  });
  t.form<Three>("vsub2.u32.u32.u32.add d.h0, a.h10, b.h23, c;",
                [](U32 a, U32 b, U32 c) { return c + (a & 0xffff) - (b >> 16); });
  t.form<Three>("vset2.u32.u32.lt.add d.h1, a, b, c;",
                [](U32 a, U32 b, U32 c) { return c + (a >> 16 < b >> 16); });
}

} // namespace

int main() {
  OpcodeTest test;
  sums(test);
  extremes(test);
  shifts(test);
  multiplyAdd(test);
  negated(test);
  sets(test);
  simdSets(test);
  selectors(test);
  sumsOfParts(test);
  return test.run();
}
