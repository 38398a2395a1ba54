// counters_test - what the engine counts for a kernel whose counts are known.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

using namespace gpusched::cpu::test;
using gpusched::KernelCounters;

namespace {

const std::string kCounted = kernel("counted", R"(
  .shared .align 4 .b8 tile[8192];
  .reg .f32 f<3>;
  ld.global.f32 f0, [%p];
  fma.rn.f32 f1, f0, f0, f0;
  mov.u32 r0, tile;
  mad.lo.u32 r1, %t, 8, r0;
  st.shared.f32 [r1], f1;
  bar.sync 0;
  st.global.f32 [%p], f1;
  mul.wide.u32 d0, %g, 128;
  add.u64 d0, %base, d0;
  ld.global.f32 f2, [d0];)");

} // namespace

int main() {
  Fixture f(kCounted, {.workers = 2, .counters = true});
  CHECK(f.run("counted", {2}, {128}).empty());
  const KernelCounters& c = f.last.counters;
  CHECK(c.launches == 1 && c.blocks == 2 && c.warps == 8 && c.threads == 256);
  CHECK(c.laneInstructions == c.warpInstructions * 32 && c.warpInstructions % 8 == 0);
  CHECK(c.integer + c.fp16 + c.fp32 + c.fp64 + c.sfu + c.conversion + c.control + c.loadStore +
            c.atomic + c.barrier + c.tensor + c.other ==
        c.warpInstructions);
  CHECK(c.fp32 == 8 && c.flops == 512 && c.barrier == 8);
  CHECK(c.globalLoads == 16 && c.globalStores == 8);
  CHECK(c.globalStoreSectors == 8 * 4);                 // 128 bytes a warp
  CHECK(c.globalLoadSectors == 8 * 4 + 8 * 32);         // one sector a lane in the strided load
  CHECK(c.sharedAccesses == 8 && c.sharedPasses == 16); // stride 2: two-way conflict
  CHECK(c.divergentBranches == 0);
  Fixture off(kCounted);
  CHECK(off.run("counted", {2}, {128}).empty());
  CHECK(off.last.counters.warpInstructions == 0);
  return finish();
}
