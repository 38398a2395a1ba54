// warp_test - shuffles, votes, matches and reductions, whole and with partial masks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

using namespace gpusched::cpu::test;

namespace {

const std::string kShuffle = kernel("shuffle", R"(
  mul.lo.u32 r0, %t, 3;
  shfl.sync.down.b32 r1|p0, r0, 4, 31, 0xffffffff;
  shfl.sync.up.b32 r2|p1, r0, 2, 0, 0xffffffff;
  shfl.sync.bfly.b32 r3, r0, 1, 31, 0xffffffff;
  shfl.sync.idx.b32 r4, r0, 5, 0x181f, 0xffffffff;
  selp.u32 r5, 1, 0, p0;
  selp.u32 r6, 1, 0, p1;
  mul.wide.u32 d0, %t, 24;
  add.u64 d0, %base, d0;
  st.global.v2.u32 [d0], {r1, r2};
  st.global.v2.u32 [d0+8], {r3, r4};
  st.global.v2.u32 [d0+16], {r5, r6};)");

/// Odd lanes shuffle among themselves while even lanes take another path.
const std::string kPartial = kernel("partial", R"(
  and.b32 r0, %t, 1;
  setp.eq.u32 p0, r0, 0;
  @p0 bra EVEN;
  shfl.sync.bfly.b32 r1, %t, 2, 31, 0xaaaaaaaa;
  bra JOIN;
EVEN:
  shfl.sync.bfly.b32 r1, %t, 4, 31, 0x55555555;
JOIN:
  st.global.u32 [%p], r1;)");

/// Lanes arrive at one shuffle from two paths; it must wait for all of them.
const std::string kGather = kernel("gather", R"(
  mov.u32 r0, %t;
  setp.lt.u32 p0, %t, 10;
  @!p0 bra LATE;
  mov.u32 r1, 0;
SPIN:
  add.u32 r1, r1, 1;
  setp.lt.u32 p1, r1, 50;
  @p1 bra SPIN;
  bra MEET;
LATE:
  add.u32 r0, r0, 100;
MEET:
  shfl.sync.idx.b32 r2, r0, 31, 31, 0xffffffff;
  st.global.u32 [%p], r2;)");

const std::string kVote = kernel("vote", R"(
  setp.lt.u32 p0, %t, 8;
  vote.sync.ballot.b32 r0, p0, 0xffffffff;
  vote.sync.any.pred p1, p0, 0xffffffff;
  vote.sync.all.pred p2, p0, 0xffffffff;
  vote.sync.uni.pred p3, !p1, 0xffffffff;
  selp.u32 r1, 1, 0, p1;
  selp.u32 r2, 2, 0, p2;
  selp.u32 r3, 4, 0, p3;
  add.u32 r1, r1, r2;
  add.u32 r1, r1, r3;
  and.b32 r4, %t, 3;
  match.any.sync.b32 r5, r4, 0xffffffff;
  match.all.sync.b32 r6|p4, r4, 0xffffffff;
  redux.sync.add.u32 r7, %t, 0xffffffff;
  redux.sync.max.s32 r8, %t, 0xffffffff;
  mul.wide.u32 d0, %t, 24;
  add.u64 d0, %base, d0;
  st.global.v2.u32 [d0], {r0, r1};
  st.global.v2.u32 [d0+8], {r5, r6};
  st.global.v2.u32 [d0+16], {r7, r8};)");

/// Half of the warp has exited; the others still name the whole warp.
const std::string kExited = kernel("exited", R"(
  setp.ge.u32 p0, %t, 16;
  @p0 exit;
  vote.sync.ballot.b32 r0, 1, 0xffffffff;
  bar.warp.sync 0xffffffff;
  st.global.u32 [%p], r0;)");

/// Each half of the warp waits for itself; a quarter does so at another place.
const std::string kHalves = kernel("halves", R"(
  setp.ge.u32 p0, %t, 16;
  selp.u32 r0, 0xffff0000, 0x0000ffff, p0;
  setp.ge.u32 p1, %t, 24;
  @p1 bra OTHER;
  bar.warp.sync r0;
  bra END;
OTHER:
  bar.warp.sync r0;
END:
  bar.warp.sync 0xffffffff;
  st.global.u32 [%p], r0;)");

const std::string kNever = kernel("never", R"(
  setp.ge.u32 p0, %t, 16;
  @p0 bra OTHER;
  shfl.sync.idx.b32 r0, %t, 0, 31, 0xffffffff;
  bra END;
OTHER:
  shfl.sync.up.b32 r0, %t, 0, 0, 0xffffffff;
END:
  st.global.u32 [%p], r0;)");

} // namespace

int main() {
  Fixture f(kShuffle + kPartial + kGather + kVote + kExited + kHalves + kNever);
  CHECK(f.run("shuffle", {1}, {32}).empty());
  bool good = true;
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t* got = f.words + i * 6;
    good &= got[0] == 3 * (i + 4 < 32 ? i + 4 : i) && got[4] == (i + 4 < 32);
    good &= got[1] == 3 * (i >= 2 ? i - 2 : i) && got[5] == (i >= 2);
    good &= got[2] == 3 * (i ^ 1) && got[3] == 3 * ((i & 24) | 5);
  }
  CHECK(good);
  CHECK(f.run("partial", {1}, {32}).empty());
  good = true;
  for (uint32_t i = 0; i < 32; ++i)
    good &= f.words[i] == (i ^ (i % 2 ? 2 : 4));
  CHECK(good);
  CHECK(f.run("gather", {1}, {32}).empty());
  CHECK(f.words[0] == 131 && f.words[20] == 131);
  CHECK(f.run("vote", {1}, {32}).empty());
  CHECK(f.words[0] == 255 && f.words[1] == 5);
  CHECK(f.words[2] == 0x11111111 && f.words[6 + 2] == 0x22222222 && f.words[3] == 0);
  CHECK(f.words[4] == 496 && f.words[5] == 31);
  f.clear();
  CHECK(f.run("exited", {1}, {32}).empty());
  CHECK(f.words[3] == 0xffff && f.words[16] == 0);
  CHECK(f.run("halves", {1}, {32}).empty());
  CHECK(f.words[15] == 0xffff && f.words[16] == 0xffff0000);
  CHECK(f.run("never", {1}, {32}).find("never continue") != std::string::npos);
  return finish();
}
