// integer_test - integer arithmetic, logic, shifts and carries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host side is written from the PTX reference, not from the engine.
#include "OpcodeTest.h"

using gpusched::cpu::test::OpcodeTest;

namespace {

using U16 = uint16_t;
using U32 = uint32_t;
using U64 = uint64_t;
using S16 = int16_t;
using S32 = int32_t;
using S64 = int64_t;

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

} // namespace

int main() {
  OpcodeTest test;
  addAndMultiply(test);
  divide(test);
  unaryAndExtremes(test);
  shifts(test);
  carries(test);
  return test.run();
}
