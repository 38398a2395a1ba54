// residency_test - how many blocks an SM holds, which SM they get, and two kernels on one SM.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block adds itself to its SM's count, keeps the largest count seen, and spins for a while
// so that all that fit are there together.
#include "EngineTest.h"

#include <algorithm>

using namespace gpusched::cpu::test;
using gpusched::cpu::Launch;

namespace {

/// words[0..31]: resident now, by SM; [32..63]: the most; [64..]: blocks run, by SM.
std::string counting(const std::string& name, const std::string& shared) {
  return kernel(name, shared + R"(
  setp.ne.u32 p0, %t, 0;
  @p0 bra END;
  mov.u32 r0, %smid;
  mul.wide.u32 d0, r0, 4;
  add.u64 d0, %base, d0;
  atom.global.add.u32 r1, [d0], 1;
  add.u32 r1, r1, 1;
  red.global.max.u32 [d0+128], r1;
  red.global.add.u32 [d0+256], 1;
  mov.u32 r2, 0;
SPIN:
  ld.volatile.global.u32 r3, [d0];
  add.u32 r2, r2, 1;
  setp.lt.u32 p1, r2, 3000;
  @p1 bra SPIN;
  red.global.add.u32 [d0], -1;
END:)");
}

uint32_t most(const Fixture& f) {
  return *std::max_element(f.words + 32, f.words + 64);
}

} // namespace

int main() {
  Fixture f(counting("plain", "") +
                counting("shared", ".shared .align 4 .b8 big[20000]; st.shared.u32 [big], 0;"),
            {.workers = 2}, 2);
  CHECK(f.run("plain", {64}, {64}).empty());
  CHECK(most(f) == 16); // the block limit
  CHECK(f.words[64] + f.words[65] == 64 && f.words[64] >= 16 && f.words[65] >= 16);
  f.clear();
  CHECK(f.run("plain", {32}, {512}).empty());
  CHECK(most(f) == 4); // 64 warps
  f.clear();
  CHECK(f.run("shared", {32}, {32}).empty());
  CHECK(most(f) == 3); // 65536 / 20000
  f.clear();
  CHECK(f.run("plain", {32}, {32}, 30000).empty());
  CHECK(most(f) == 2); // dynamic shared memory counts too
  f.clear();
  CHECK(f.run("plain", {2}, {32}).empty());
  CHECK(f.words[64] == 1 && f.words[65] == 1); // breadth first

  // Two kernels: three blocks of one leave room on each SM for blocks of the other.
  f.clear();
  CHECK(f.gpu->submit(f.launch("shared", {6}, {32})).ok());
  CHECK(f.gpu->submit(f.launch("plain", {20}, {32})).ok());
  f.gpu->drain();
  CHECK(most(f) > 3 && most(f) <= 16);

  CHECK(f.run("plain", {1}, {2048}).find("threads in a block") != std::string::npos);
  CHECK(f.run("plain", {1}, {32}, 70000).find("shared memory") != std::string::npos);
  CHECK(f.run("plain", {0}, {32}).find("at least 1") != std::string::npos);
  return finish();
}
