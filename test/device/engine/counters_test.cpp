// counters_test - what the engine counts for a kernel whose counts are known.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Then what single accesses of many shapes cost, against sets of sectors and words.
#include "EngineTest.h"

#include <functional>
#include <set>

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

/// Each thread loads from shared and from global memory at the byte offset it finds in its word.
const std::string kShapes = kernel("shapes", R"(
  .shared .align 16 .b8 tile[16384];
  ld.global.u32 r0, [%p];
  mov.u32 r1, tile;
  add.u32 r1, r1, r0;
  ld.shared.u32 r2, [r1];
  ld.shared.v4.u32 {r3, r4, r5, r6}, [tile];
  cvt.u64.u32 d0, r0;
  add.u64 d0, %base, d0;
  ld.global.u32 r3, [d0+65536];
  setp.ge.u32 p0, %t, 20;
  @p0 ld.global.u32 r3, [d0+65536];)");

constexpr uint64_t kOwnWords = 4; // sectors in which the 32 threads find their offsets

uint64_t sectors(const uint32_t* offsets, unsigned from) {
  std::set<uint32_t> touched;
  for (unsigned i = from; i < 32; ++i)
    touched.insert(offsets[i] / 32);
  return touched.size();
}

uint64_t passes(const uint32_t* offsets) {
  std::set<uint32_t> banks[32];
  size_t most = 0;
  for (unsigned i = 0; i < 32; ++i)
    banks[offsets[i] / 4 % 32].insert(offsets[i] / 4);
  for (const std::set<uint32_t>& words : banks)
    most = std::max(most, words.size());
  return most;
}

void checkShape(const char* name, const std::function<uint32_t(uint32_t)>& offset) {
  Fixture f(kShapes, {.workers = 1, .counters = true}, 1);
  uint32_t offsets[32];
  for (unsigned i = 0; i < 32; ++i)
    f.words[i] = offsets[i] = offset(i);
  CHECK(f.run("shapes", {1}, {32}).empty());
  const KernelCounters& c = f.last.counters;
  const uint64_t wantSectors = kOwnWords + sectors(offsets, 0) + sectors(offsets, 20);
  const uint64_t wantPasses = 1 + passes(offsets); // the broadcast of 16 bytes takes one
  if (c.globalLoadSectors != wantSectors || c.sharedPasses != wantPasses)
    std::printf("%s: %lu sectors, want %lu; %lu passes, want %lu\n", name, c.globalLoadSectors,
                wantSectors, c.sharedPasses, wantPasses);
  CHECK(c.globalLoadSectors == wantSectors && c.sharedPasses == wantPasses);
}

void checkShapes() {
  checkShape("uniform", [](uint32_t) { return 64; });
  checkShape("contiguous", [](uint32_t i) { return i * 4; });
  checkShape("unaligned row", [](uint32_t i) { return 20 + i * 4; });
  checkShape("reversed", [](uint32_t i) { return (31 - i) * 4; });
  checkShape("stride of two words", [](uint32_t i) { return i * 8; });
  checkShape("column", [](uint32_t i) { return i * 128; });
  checkShape("padded column", [](uint32_t i) { return i * 132; });
  checkShape("two rows", [](uint32_t i) { return i / 16 * 128 + i % 16 * 4; });
  checkShape("one row twice", [](uint32_t i) { return i % 16 * 4; });
  checkShape("rows a b a b", [](uint32_t i) { return i / 8 % 2 * 300 + i % 8 * 4; });
  checkShape("rows that overlap", [](uint32_t i) { return i / 8 * 16 + i % 8 * 4; });
  checkShape("rows in one bank", [](uint32_t i) { return i / 8 * 512 + i % 8 * 4; });
  checkShape("two values", [](uint32_t i) { return i / 16 * 256; });
  checkShape("scattered", [](uint32_t i) { return i * 2654435761u >> 20 << 2 & 16383; });
}

} // namespace

int main() {
  checkShapes();
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
