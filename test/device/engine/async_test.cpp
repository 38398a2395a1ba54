// async_test - cp.async and mbarrier.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

using namespace gpusched::cpu::test;

namespace {

/// Copies 16 bytes a thread; the last thread copies only 4 and the rest is zero.
const std::string kCopy = kernel("copy", R"(
  .shared .align 16 .b8 tile[512];
  mov.u32 r0, tile;
  mad.lo.u32 r0, %t, 16, r0;
  mul.wide.u32 d0, %t, 16;
  add.u64 d0, %base, d0;
  setp.eq.u32 p0, %t, 31;
  selp.u32 r1, 4, 16, p0;
  cp.async.cg.shared.global [r0], [d0+4096], 16, r1;
  cp.async.commit_group;
  cp.async.wait_group 0;
  bar.sync 0;
  ld.shared.v4.u32 {r2, r3, r4, r5}, [r0];
  st.global.v4.u32 [d0], {r2, r3, r4, r5};)");

/// Three phases: thread 0 writes, everyone arrives, waits by state, then by parity.
const std::string kPhases = kernel("phases", R"(
  .shared .align 8 .b8 gate[8];
  .shared .align 4 .b8 cell[4];
  mov.u32 r0, gate;
  setp.eq.u32 p0, %t, 0;
  @p0 mbarrier.init.shared.b64 [r0], %n;
  bar.sync 0;
  @p0 st.shared.u32 [cell], 6;
  mbarrier.arrive.shared.b64 d0, [r0];
WAIT:
  mbarrier.test_wait.shared.b64 p1, [r0], d0;
  @!p1 bra WAIT;
  ld.shared.u32 r1, [cell];
  mbarrier.test_wait.parity.shared.b64 p2, [r0], 0;
  mbarrier.test_wait.parity.shared.b64 p3, [r0], 1;
  selp.u32 r2, 10, 0, p2;
  selp.u32 r3, 100, 0, p3;
  add.u32 r1, r1, r2;
  add.u32 r1, r1, r3;
  st.global.u32 [%p], r1;)");

} // namespace

int main() {
  Fixture f(kCopy + kPhases);
  if (!f.loaded)
    return finish();
  for (uint32_t i = 0; i < 128; ++i)
    f.words[1024 + i] = i + 1;
  CHECK(f.run("copy", {1}, {32}).empty());
  bool good = true;
  for (uint32_t i = 0; i < 128; ++i)
    good &= f.words[i] == (i < 125 ? i + 1 : 0);
  CHECK(good);
  CHECK(f.run("phases", {1}, {96}).empty());
  CHECK(f.words[0] == 16 && f.words[95] == 16);
  return finish();
}
