// bits_test - bit fields, counts, permutes, dot products, selection.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host side is written from the PTX reference, not from the engine.
#include "OpcodeTest.h"

#include <bit>

using namespace gpusched::cpu::test;

namespace {

template <class T> T bfe(T a, U32 b, U32 c) {
  constexpr unsigned kTop = sizeof(T) * 8 - 1;
  constexpr bool kSigned = std::is_signed_v<T>;
  const U32 position = b & 255, length = c & 255;
  const auto bit = [&](U64 i) { return U64(a) >> i & 1; };
  const U64 sign = !kSigned || length == 0 ? 0 : bit(std::min<U64>(position + length - 1, kTop));
  U64 d = 0;
  for (unsigned i = 0; i <= kTop; ++i)
    d |= (i < length && position + i <= kTop ? bit(position + i) : sign) << i;
  return T(d);
}

template <class T> T bfi(T a, T b, U32 c, U32 e) {
  const U32 position = c & 255, length = e & 255;
  for (U32 i = 0; i < length && position + i < sizeof(T) * 8; ++i) {
    b &= ~(T(1) << (position + i));
    b |= (a >> i & 1) << (position + i);
  }
  return b;
}

U32 prmt(U32 a, U32 b, U32 c) {
  U32 d = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const U32 selector = c >> (4 * i) & 15;
    U32 byte = U32((U64(b) << 32 | a) >> (8 * (selector & 7))) & 255;
    if (selector & 8)
      byte = byte & 128 ? 255 : 0;
    d |= byte << (8 * i);
  }
  return d;
}

template <class T> U32 bfind(T a) {
  using U = std::make_unsigned_t<T>;
  U bits = U(a);
  if (std::is_signed_v<T> && a < 0)
    bits = ~bits;
  return bits ? sizeof(T) * 8 - 1 - std::countl_zero(bits) : ~0u;
}

void fields(OpcodeTest& t) {
  t.form<U32(U32, U32, U32)>("bfe.u32 d, a, b, c;", bfe<U32>);
  t.form<S32(S32, U32, U32)>("bfe.s32 d, a, b, c;", bfe<S32>);
  t.form<U64(U64, U32, U32)>("bfe.u64 d, a, b, c;", bfe<U64>);
  t.form<S64(S64, U32, U32)>("bfe.s64 d, a, b, c;", bfe<S64>);
  t.form<U32(U32, U32, U32, U32)>("bfi.b32 d, a, b, c, e;", bfi<U32>);
  t.form<U64(U64, U64, U32, U32)>("bfi.b64 d, a, b, c, e;", bfi<U64>);
  t.form<S32(S32, U32)>("szext.clamp.s32 d, a, b;", [](S32 a, U32 n) {
    return n == 0 ? 0 : n > 31 ? a : S32(U32(a) << (32 - n)) >> (32 - n);
  });
  t.form<U32(U32, U32)>("szext.wrap.u32 d, a, b;",
                        [](U32 a, U32 n) { return a & ((1u << (n & 31)) - 1); });
  t.form<U32(U32, U32)>("bmsk.clamp.b32 d, a, b;", [](U32 a, U32 b) {
    const U64 ones = (U64(1) << std::min(b, 32u)) - 1;
    return a > 31 ? 0 : U32(ones << a);
  });
}

void counts(OpcodeTest& t) {
  t.form<U32(U32)>("popc.b32 d, a;", [](U32 a) { return U32(std::popcount(a)); });
  t.form<U32(U64)>("popc.b64 d, a;", [](U64 a) { return U32(std::popcount(a)); });
  t.form<U32(U32)>("clz.b32 d, a;", [](U32 a) { return U32(std::countl_zero(a)); });
  t.form<U32(U64)>("clz.b64 d, a;", [](U64 a) { return U32(std::countl_zero(a)); });
  t.form<U32(U32)>("bfind.u32 d, a;", bfind<U32>);
  t.form<U32(S32)>("bfind.s32 d, a;", bfind<S32>);
  t.form<U32(U64)>("bfind.u64 d, a;", bfind<U64>);
  t.form<U32(S64)>("bfind.s64 d, a;", bfind<S64>);
  t.form<U32(U32)>("bfind.shiftamt.u32 d, a;",
                   [](U32 a) { return a ? U32(std::countl_zero(a)) : ~0u; });
  t.form<U32(U32)>("brev.b32 d, a;", [](U32 a) {
    U32 d = 0;
    for (unsigned i = 0; i < 32; ++i)
      d |= (a >> i & 1) << (31 - i);
    return d;
  });
  t.form<U64(U64)>("brev.b64 d, a;", [](U64 a) {
    U64 d = 0;
    for (unsigned i = 0; i < 64; ++i)
      d |= (a >> i & 1) << (63 - i);
    return d;
  });
  t.form<U32(U32)>("fns.b32 d, a, 0, 3;", [](U32 a) {
    for (U32 i = 0, found = 0; i < 32; ++i)
      if ((a >> i & 1) && ++found == 3)
        return i;
    return ~0u;
  });
}

void permutes(OpcodeTest& t) {
  t.form<U32(U32, U32, U32)>("prmt.b32 d, a, b, c;", prmt);
  t.form<U32(U32, U32)>("prmt.b32 d, a, b, 0x7531;",
                        [](U32 a, U32 b) { return prmt(a, b, 0x7531); });
  t.form<U32(U32, U32, U32)>("prmt.b32.f4e d, a, b, c;", [](U32 a, U32 b, U32 c) {
    constexpr U32 kModes[] = {0x3210, 0x4321, 0x5432, 0x6543};
    return prmt(a, b, kModes[c & 3]);
  });
  t.form<U32(U32, U32, U32)>("prmt.b32.b4e d, a, b, c;", [](U32 a, U32 b, U32 c) {
    constexpr U32 kModes[] = {0x5670, 0x6701, 0x7012, 0x0123};
    return prmt(a, b, kModes[c & 3]);
  });
  t.form<U32(U32, U32, U32)>("prmt.b32.rc8 d, a, b, c;",
                             [](U32 a, U32 b, U32 c) { return prmt(a, b, 0x1111 * (c & 3)); });
  t.form<U32(U32, U32, U32)>("prmt.b32.ecl d, a, b, c;", [](U32 a, U32 b, U32 c) {
    constexpr U32 kModes[] = {0x3210, 0x3211, 0x3222, 0x3333};
    return prmt(a, b, kModes[c & 3]);
  });
  t.form<U32(U32, U32, U32)>("prmt.b32.ecr d, a, b, c;", [](U32 a, U32 b, U32 c) {
    constexpr U32 kModes[] = {0x0000, 0x1110, 0x2210, 0x3210};
    return prmt(a, b, kModes[c & 3]);
  });
  t.form<U32(U32, U32, U32)>("prmt.b32.rc16 d, a, b, c;", [](U32 a, U32 b, U32 c) {
    return prmt(a, b, c & 1 ? 0x3232 : 0x1010);
  });
}

template <bool kA, bool kB> U32 dp4a(U32 a, U32 b, U32 c) {
  for (unsigned i = 0; i < 32; i += 8)
    c += U32((kA ? S32(int8_t(a >> i)) : S32(uint8_t(a >> i))) *
             (kB ? S32(int8_t(b >> i)) : S32(uint8_t(b >> i))));
  return c;
}

void dots(OpcodeTest& t) {
  t.form<U32(U32, U32, U32)>("dp4a.u32.u32 d, a, b, c;", dp4a<false, false>);
  t.form<U32(U32, U32, U32)>("dp4a.s32.s32 d, a, b, c;", dp4a<true, true>);
  t.form<U32(U32, U32, U32)>("dp4a.u32.s32 d, a, b, c;", dp4a<false, true>);
  t.form<U32(U32, U32, U32)>("dp4a.s32.u32 d, a, b, c;", dp4a<true, false>);
  t.form<U32(U32, U32, U32)>("dp2a.lo.s32.s32 d, a, b, c;", [](U32 a, U32 b, U32 c) {
    return c + U32(int16_t(a) * int8_t(b)) + U32(int16_t(a >> 16) * int8_t(b >> 8));
  });
  t.form<U32(U32, U32, U32)>("dp2a.hi.u32.u32 d, a, b, c;", [](U32 a, U32 b, U32 c) {
    return c + U32(U16(a) * uint8_t(b >> 16)) + U32(U16(a >> 16) * uint8_t(b >> 24));
  });
}

void moves(OpcodeTest& t) {
  t.form<U64(U32, U32)>("mov.b64 d, {a, b};", [](U32 a, U32 b) { return U64(b) << 32 | a; });
  t.form<U32(U16, U16)>("mov.b32 d, {a, b};", [](U16 a, U16 b) { return U32(b) << 16 | a; });
  t.form<U32(U64)>("{ .reg .b32 low; mov.b64 {low, d}, a; }", [](U64 a) { return U32(a >> 32); });
  t.form<U16(U32)>("{ .reg .b16 high; mov.b32 {d, high}, a; }", [](U32 a) { return U16(a); });
  t.form<U64(U16, U16)>("mov.b64 d, {a, b, b, a};", [](U16 a, U16 b) {
    return U64(a) << 48 | U64(b) << 32 | U64(b) << 16 | a;
  });
  const std::string bytes = "{ .reg .b8 low, high; cvt.u8.u16 low, a; cvt.u8.u16 high, b; ";
  t.form<U16(U16, U16)>(bytes + "mov.b16 d, {low, high}; }",
                        [](U16 a, U16 b) { return U16((b & 0xff) << 8 | (a & 0xff)); });
  t.form<U32(U16, U16)>(bytes + "mov.b32 d, {high, 0, low, high}; }", [](U16 a, U16 b) {
    return U32(b & 0xff) << 24 | U32(a & 0xff) << 16 | U32(b & 0xff);
  });
  t.form<U16(U16)>("{ .reg .b8 low, high; mov.b16 {low, high}, a; cvt.u16.u8 d, high; }",
                   [](U16 a) { return U16(a >> 8); });
  t.form<U32(float)>("mov.b32 d, a;", [](float a) { return std::bit_cast<U32>(a); });
  t.form<U32(U32)>("mov.s32 d, a;", [](U32 a) { return a; });
  t.form<double(double)>("mov.f64 d, a;", [](double a) { return a; });
  t.form<float(U32)>("mov.b32 d, a;", [](U32 a) { return std::bit_cast<float>(a); });
  t.form<U32(U32, U32, bool)>("selp.b32 d, a, b, c;",
                              [](U32 a, U32 b, bool c) { return c ? a : b; });
  t.form<double(double, double, bool)>("selp.f64 d, a, b, c;",
                                       [](double a, double b, bool c) { return c ? a : b; });
  t.form<U16(U16, U16, bool)>("selp.b16 d, a, b, c;",
                              [](U16 a, U16 b, bool c) { return c ? a : b; });
  t.form<U32(U32, U32, S32)>("slct.b32.s32 d, a, b, c;",
                             [](U32 a, U32 b, S32 c) { return c >= 0 ? a : b; });
  t.form<U64(U64, U64, float)>("slct.u64.f32 d, a, b, c;",
                               [](U64 a, U64 b, float c) { return c >= 0 ? a : b; });
}

} // namespace

int main() {
  OpcodeTest test;
  fields(test);
  counts(test);
  permutes(test);
  dots(test);
  moves(test);
  return test.run();
}
