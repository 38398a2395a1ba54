// divergence_test - lanes that take different paths, leave early and meet again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

using namespace gpusched::cpu::test;

namespace {

/// Each lane loops tid times; the ballot after the loop shows that all are together again.
const std::string kLoop = kernel("loop", R"(
  mov.u32 r0, 0;
  mov.u32 r1, 0;
TOP:
  setp.ge.u32 p0, r0, %t;
  @p0 bra DONE;
  add.u32 r1, r1, r0;
  add.u32 r0, r0, 1;
  bra TOP;
DONE:
  activemask.b32 r2;
  setp.ne.u32 p1, r2, 0xffffffff;
  @p1 add.u32 r1, r1, 1000000;
  st.global.u32 [%p], r1;)");

const std::string kIfElse = kernel("ifelse", R"(
  and.b32 r0, %t, 1;
  setp.eq.u32 p0, r0, 0;
  @p0 bra EVEN;
  mul.lo.u32 r1, %t, 10;
  bra JOIN;
EVEN:
  add.u32 r1, %t, 7;
JOIN:
  activemask.b32 r2;
  popc.b32 r2, r2;
  mad.lo.u32 r1, r2, 1000, r1;
  st.global.u32 [%p], r1;)");

const std::string kEarlyExit = kernel("early", R"(
  setp.lt.u32 p0, %t, 5;
  @p0 exit;
  bar.sync 0;
  st.global.u32 [%p], 9;)");

const std::string kSwitch = kernel("jump", R"(
  and.b32 r0, %t, 3;
  TABLE: .branchtargets CASE0, CASE1, CASE2, CASE3;
  brx.idx r0, TABLE;
CASE0: mov.u32 r1, 100; bra OUT;
CASE1: mov.u32 r1, 101; bra OUT;
CASE2: mov.u32 r1, 102; bra OUT;
CASE3: mov.u32 r1, 103;
OUT:
  activemask.b32 r2;
  popc.b32 r2, r2;
  mad.lo.u32 r1, r2, 1000, r1;
  st.global.u32 [%p], r1;)");

/// Lane 0 holds a lock that the other lanes of its warp spin on: it must get its turn.
const std::string kLock = kernel("lock", R"(
TRY:
  atom.global.cas.b32 r0, [%base], 0, 1;
  setp.ne.u32 p0, r0, 0;
  @p0 bra TRY;
  ld.volatile.global.u32 r1, [%base+4];
  add.u32 r1, r1, 1;
  st.volatile.global.u32 [%base+4], r1;
  membar.gl;
  atom.global.exch.b32 r2, [%base], 0;)");

} // namespace

int main() {
  Fixture f(kLoop + kIfElse + kEarlyExit + kSwitch + kLock);
  CHECK(f.run("loop", {1}, {32}).empty());
  bool good = true;
  for (uint32_t i = 0; i < 32; ++i)
    good &= f.words[i] == i * (i - 1) / 2;
  CHECK(good);
  CHECK(f.run("ifelse", {2}, {64}).empty());
  good = true;
  for (uint32_t i = 0; i < 128; ++i)
    good &= f.words[i] == 32000 + (i % 2 ? i % 64 * 10 : i % 64 + 7);
  CHECK(good);
  f.clear();
  CHECK(f.run("early", {1}, {40}).empty());
  CHECK(f.words[4] == 0 && f.words[5] == 9 && f.words[39] == 9);
  CHECK(f.run("jump", {1}, {32}).empty());
  good = true;
  for (uint32_t i = 0; i < 32; ++i)
    good &= f.words[i] == 32100 + i % 4;
  CHECK(good);
  f.clear();
  // Seconds of spinning, so that an engine without fairness fails.
  f.stepLimit = 1 << 29;
  CHECK(f.run("lock", {3}, {64}).empty());
  CHECK(f.words[0] == 0 && f.words[1] == 192);
  return finish();
}
