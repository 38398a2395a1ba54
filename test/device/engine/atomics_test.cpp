// atomics_test - every atomic operation and type, from two workers, and in shared memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

#include <bit>

using namespace gpusched::cpu::test;

namespace {

const std::string kGlobal = kernel("global", R"(
  red.global.add.u32 [%base], 1;
  atom.global.add.u64 d0, [%base+8], 3;
  red.global.add.f32 [%base+16], 0f3F800000;
  red.global.add.f64 [%base+24], 0d3FE0000000000000;
  red.global.max.s32 [%base+32], %g;
  red.global.min.s32 [%base+36], %g;
  neg.s32 r0, %g;
  red.global.min.s32 [%base+40], r0;
  red.global.or.b32 [%base+44], %g;
  red.global.xor.b32 [%base+48], %g;
  atom.global.inc.u32 r1, [%base+52], 9;
  red.global.max.u64 [%base+56], 77;
  red.global.and.b32 [%base+64], 0xf0;
  red.add.noftz.f16x2 [%base+68], 0x3c003c00;)");

/// Each lane swaps its number in; the sum of what came out and what stays is known.
const std::string kExchange = kernel("exchange", R"(
  atom.global.exch.b32 r0, [%base], %g;
  red.global.add.u32 [%base+4], r0;)");

const std::string kShared = kernel("shared", R"(
  .shared .align 8 .b8 cell[16];
  setp.ne.u32 p0, %t, 0;
  @!p0 st.shared.u64 [cell], 0;
  bar.sync 0;
  atom.shared.add.u32 r0, [cell], 2;
  mov.u64 d1, cell;
  cvta.shared.u64 d0, d1;
  atom.add.u32 r1, [d0+4], 1;
  bar.sync 0;
  ld.shared.u32 r2, [cell];
  ld.shared.u32 r3, [cell+4];
  add.u32 r2, r2, r3;
  st.global.u32 [%p], r2;)");

const std::string kCas = kernel("cas", R"(
  ld.global.u32 r0, [%base];
AGAIN:
  mov.u32 r1, r0;
  mad.lo.u32 r2, r1, 1, 5;
  atom.global.cas.b32 r0, [%base], r1, r2;
  setp.ne.u32 p0, r0, r1;
  @p0 bra AGAIN;)");

/// Vectors: each element is one atomic. The last one's results and operands share registers.
const std::string kVector = kernel("vector", R"(
  .reg .f32 f<4>; .reg .b16 h<8>;
  mov.f32 f0, 0f3F800000; mov.f32 f1, 0f40000000;
  red.global.add.v2.f32 [%base], {f0, f1};
  red.global.v4.f32.add [%base+16], {f0, f0, f1, f1};
  mov.b16 h0, 0x3c00; mov.b16 h1, 0x4000;
  red.global.v8.f16.add.noftz [%base+32], {h0, h1, h0, h1, h0, h1, h0, h1};
  mov.b32 r0, 0x3f804000;
  red.global.v2.bf16x2.max.noftz [%base+48], {r0, r0};
  red.global.v2.f16.min.noftz [%base+56], {h0, h1};
  setp.ne.u32 p0, %g, 0;
  @p0 bra END;
  atom.global.v2.f32.add {f1, f0}, [%base+64], {f0, f1};
  st.global.f32 [%base+72], f0;
  st.global.f32 [%base+76], f1;
END:)");

/// 128 bits: a counter of two halves by cas, a chain of exchanges, plain accesses.
const std::string kQuad = kernel("quad", R"(
  .reg .b128 old, next, seen; .reg .b64 low, high, sum;
  .shared .align 16 .b8 cells[2048];
  ld.global.b128 old, [%base];
TRY:
  mov.b128 {low, high}, old;
  add.u64 d0, low, 1;
  add.u64 d1, high, 3;
  mov.b128 next, {d0, d1};
  atom.global.cas.b128 seen, [%base], old, next;
  mov.b128 {d2, d3}, seen;
  mov.b128 old, {d2, d3};
  setp.ne.u64 p0, d2, low;
  setp.ne.or.u64 p0, d3, high, p0;
  @p0 bra TRY;
  cvt.u64.u32 low, %g;
  mul.lo.u64 high, low, 5;
  mov.b128 next, {low, high};
  atom.global.exch.b128 seen, [%base+32], next;
  mov.b128 {d2, d3}, seen;
  red.global.add.u64 [%base+64], d2;
  red.global.add.u64 [%base+72], d3;
  shl.b32 r0, %t, 4;
  mov.u32 r1, cells;
  add.u32 r0, r0, r1;
  st.shared.b128 [r0], next;
  mov.b128 seen, {0, 0};
  atom.shared.cas.b128 old, [r0], next, seen;
  atom.shared.exch.b128 seen, [r0], old;
  ld.shared.b128 old, [r0];
  mul.wide.u32 d4, %g, 16;
  add.u64 d4, d4, %base;
  st.global.b128 [d4+1024], old;)");

void quads() {
  Fixture f(kQuad);
  constexpr uint64_t kBlocks = 10, kThreads = 100, kSum = kBlocks * kThreads * 999 / 2;
  CHECK(f.run("quad", {kBlocks}, {kThreads}).empty());
  uint64_t wide[256 + 2 * kBlocks * kThreads];
  std::memcpy(wide, f.words, sizeof wide);
  CHECK(wide[0] == kBlocks * kThreads && wide[1] == 3 * kBlocks * kThreads);
  CHECK(wide[4] + wide[8] == kSum && wide[5] + wide[9] == 5 * kSum);
  bool good = true;
  for (uint64_t i = 0; i < kBlocks * kThreads; ++i)
    good &= wide[128 + 2 * i] == i && wide[129 + 2 * i] == 5 * i;
  CHECK(good);
}

} // namespace

int main() {
  quads();
  Fixture f(kGlobal + kExchange + kShared + kCas + kVector);
  constexpr uint32_t kThreads = 1000;
  f.words[16] = 0xffff;
  CHECK(f.run("global", {10}, {100}).empty());
  const auto wide = [&](unsigned word) {
    uint64_t v;
    std::memcpy(&v, f.words + word, 8);
    return v;
  };
  CHECK(f.words[0] == kThreads && wide(2) == 3 * kThreads);
  CHECK(std::bit_cast<float>(f.words[4]) == 1000.0f && std::bit_cast<double>(wide(6)) == 500.0);
  CHECK(f.words[8] == 999 && f.words[9] == 0 && int(f.words[10]) == -999);
  uint32_t ones = 0, parity = 0;
  for (uint32_t i = 0; i < kThreads; ++i)
    ones |= i, parity ^= i;
  CHECK(f.words[11] == ones && f.words[12] == parity && f.words[13] == 0 && wide(14) == 77);
  CHECK(f.words[16] == 0xf0 && f.words[17] == 0x63d063d0); // 1000.0 in both halves
  f.clear();
  CHECK(f.run("exchange", {10}, {100}).empty());
  CHECK(f.words[1] + f.words[0] == kThreads * (kThreads - 1) / 2);
  CHECK(f.run("shared", {2}, {128}).empty());
  CHECK(f.words[0] == 384 && f.words[255] == 384);
  f.clear();
  CHECK(f.run("cas", {20}, {64}).empty());
  CHECK(f.words[0] == 5 * 20 * 64);
  f.clear();
  f.words[14] = 0x42004200; // 3.0, 3.0
  f.words[16] = std::bit_cast<uint32_t>(5.0f), f.words[17] = std::bit_cast<uint32_t>(7.0f);
  CHECK(f.run("vector", {2}, {64}).empty());
  const auto number = [&](unsigned word) { return std::bit_cast<float>(f.words[word]); };
  CHECK(number(0) == 128 && number(1) == 256);
  CHECK(number(4) == 128 && number(5) == 128 && number(6) == 256 && number(7) == 256);
  CHECK(f.words[8] == 0x5c005800 && f.words[11] == 0x5c005800); // 256.0, 128.0
  CHECK(f.words[12] == 0x3f804000 && f.words[13] == 0x3f804000);
  CHECK(f.words[14] == 0x40003c00);
  CHECK(number(16) == 6 && number(17) == 9 && number(18) == 7 && number(19) == 5);
  return finish();
}
