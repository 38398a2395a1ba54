// progress_test - threads that spin on others: lanes, warps, blocks, other kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each would hang if a resident warp could be starved.
#include "EngineTest.h"

using namespace gpusched::cpu::test;

namespace {

/// Warp 0 waits for a flag that the last warp of the block sets.
const std::string kWarps = kernel("warps", R"(
  setp.lt.u32 p0, %t, 32;
  @!p0 bra SET;
WAIT:
  ld.volatile.global.u32 r0, [%base];
  setp.eq.u32 p1, r0, 0;
  @p1 bra WAIT;
  st.global.u32 [%p+4], r0;
  bra END;
SET:
  setp.ge.u32 p2, %t, 992;
  @p2 st.volatile.global.u32 [%base], 77;
END:)");

/// A grid barrier: every block adds one and spins until all have.
const std::string kBlocks = kernel("blocks", R"(
  bar.sync 0;
  setp.ne.u32 p0, %t, 0;
  @p0 bra AFTER;
  mov.u32 r5, %nctaid.x;
  atom.global.add.u32 r0, [%base], 1;
WAIT:
  ld.acquire.gpu.global.u32 r1, [%base];
  setp.lt.u32 p1, r1, r5;
  @p1 bra WAIT;
AFTER:
  bar.sync 0;
  ld.volatile.global.u32 r2, [%base];
  st.global.u32 [%p+4], r2;)");

/// Plain atomics in the waiting loop, no volatile load.
const std::string kWaits = kernel("waits", R"(
WAIT:
  atom.global.add.u32 r0, [%base], 0;
  setp.eq.u32 p0, r0, 0;
  @p0 bra WAIT;
  st.global.u32 [%p+4], r0;)");
const std::string kSets = kernel("sets", "atom.global.exch.b32 r0, [%base], 5;");

} // namespace

int main() {
  for (unsigned workers : {1u, 2u}) {
    Fixture f(kWarps + kBlocks + kWaits + kSets, {.workers = workers});
    CHECK(f.run("warps", {1}, {1024}).empty());
    CHECK(f.words[1] == 77);
    f.clear();
    CHECK(f.run("blocks", {64}, {64}).empty());
    CHECK(f.words[1] == 64 && f.words[4096] == 64);
    f.clear();
    CHECK(f.gpu->submit(f.launch("waits", {8}, {32})).ok());
    CHECK(f.gpu->submit(f.launch("sets", {1}, {1})).ok());
    f.gpu->drain();
    CHECK(f.words[1] == 5 && f.words[256] == 5);
  }
  return finish();
}
