// barriers_test - bar.sync, bar.arrive, bar.red, partial warps, counted barriers, deadlock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

using namespace gpusched::cpu::test;

namespace {

/// Thread i reads what thread n-1-i wrote; a missing barrier would read zero.
const std::string kReverse = kernel("reverse", R"(
  .shared .align 4 .b8 tile[4096];
  mov.u32 r0, tile;
  mad.lo.u32 r1, %t, 4, r0;
  add.u32 r2, %t, 1;
  st.shared.u32 [r1], r2;
  bar.sync 0;
  sub.u32 r3, %n, 1;
  sub.u32 r3, r3, %t;
  mad.lo.u32 r1, r3, 4, r0;
  ld.shared.u32 r4, [r1];
  st.global.u32 [%p], r4;)");

/// Warp 0 produces without waiting, warp 1 consumes; warp 2 takes no part.
const std::string kProduce = kernel("produce", R"(
  .shared .align 4 .b8 cell[4];
  shr.u32 r0, %t, 5;
  setp.eq.u32 p0, r0, 1;
  @p0 bra CONSUME;
  setp.eq.u32 p1, r0, 2;
  @p1 bra END;
  st.shared.u32 [cell], 42;
  bar.arrive 3, 64;
  bra END;
CONSUME:
  bar.sync 3, 64;
  ld.shared.u32 r1, [cell];
  st.global.u32 [%p], r1;
END:)");

const std::string kReduce = kernel("reduction", R"(
  setp.lt.u32 p0, %t, 33;
  bar.red.popc.u32 r0, 0, p0;
  bar.red.and.pred p1, 0, !p0;
  bar.red.or.pred p2, 0, p0;
  selp.u32 r1, 100, 0, p1;
  selp.u32 r2, 1000, 0, p2;
  add.u32 r0, r0, r1;
  add.u32 r0, r0, r2;
  st.global.u32 [%p], r0;)");

/// The two halves of each warp reach the same barrier at different places.
const std::string kDiverged = kernel("diverged", R"(
  and.b32 r0, %t, 1;
  setp.eq.u32 p0, r0, 0;
  @p0 bra EVEN;
  barrier.sync 1;
  st.global.u32 [%p], 1;
  bra END;
EVEN:
  barrier.sync 1;
  st.global.u32 [%p], 2;
END:)");

const std::string kStuck = kernel("stuck", R"(
  setp.lt.u32 p0, %t, 32;
  @p0 bra FIRST;
  bar.sync 1;
  bra END;
FIRST:
  bar.sync 2;
END:)");

/// Warp 0 does `first`, warp 1 `second`.
std::string mixed(const std::string& name, const std::string& first, const std::string& second) {
  return kernel(name, ".reg .pred c; setp.eq.u32 c, %t, %t; setp.lt.u32 p0, %t, 32;\n"
                      "@p0 bra FIRST;\n" +
                          second + "\nbra END;\nFIRST:\n" + first + "\nEND:");
}

} // namespace

int main() {
  Fixture f(kReverse + kProduce + kReduce + kDiverged + kStuck +
            mixed("mixes", "bar.sync 3, 64;", "bar.red.popc.u32 r0, 3, 64, c;") +
            mixed("mixesArrival", "bar.red.or.pred p1, 3, 64, c;", "bar.arrive 3, 64;") +
            mixed("mixesKinds", "bar.red.or.pred p1, 3, 64, c;", "bar.red.and.pred p1, 3, 64, c;") +
            mixed("apart", "bar.sync 3, 32;", "bar.red.or.pred p1, 4, 32, c; bar.sync 4, 32;"));
  CHECK(f.run("reverse", {3}, {1000}).empty());
  bool good = true;
  for (uint32_t i = 0; i < 3000; ++i)
    good &= f.words[i] == 1000 - i % 1000;
  CHECK(good);
  f.clear();
  CHECK(f.run("produce", {1}, {96}).empty());
  CHECK(f.words[32] == 42 && f.words[63] == 42 && f.words[64] == 0);
  CHECK(f.run("reduction", {1}, {70}).empty());
  CHECK(f.words[0] == 1033 && f.words[69] == 1033);
  CHECK(f.run("diverged", {1}, {64}).empty());
  CHECK(f.words[0] == 2 && f.words[1] == 1);
  const std::string message = f.run("stuck", {1}, {64});
  CHECK(message.find("deadlock") != std::string::npos &&
        message.find("'stuck'") != std::string::npos);
  for (const char* name : {"mixes", "mixesArrival", "mixesKinds"})
    CHECK(f.run(name, {1}, {64}).find("another kind of barrier") != std::string::npos);
  CHECK(f.run("apart", {1}, {64}).empty());
  return finish();
}
