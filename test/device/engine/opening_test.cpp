// opening_test - warps of a block read global memory, or clear shared, before one of them adds to
// it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every warp of a block does `x[lane] += 1` in a loop of eight, with x in a register: on a GPU
// all warps load the old x, so the result is 8 however many warps there are.
#include "EngineTest.h"

#include <algorithm>

using namespace gpusched::cpu::test;

namespace {

const std::string kRegisters = ".reg .b32 %lane, old; .reg .b64 at;\n"
                               "and.b32 %lane, %t, 31;\nmul.wide.u32 at, %lane, 4;\n"
                               "add.u64 at, %base, at;\n";

/// A loop that stores in every turn; before it, one lane in two takes another way.
const std::string kSum = kRegisters + R"(
  setp.ge.u32 p3, %lane, 30;
  @p3 bra END;
  mov.u32 r1, 0;
  and.b32 r2, %t, 1;
  setp.eq.u32 p1, r2, 0;
  @p1 bra EVEN;
  ld.global.u32 old, [at];
  bra LOOP;
EVEN:
  ld.global.u32 old, [at];
LOOP:
  add.u32 old, old, 1;
  STORE
  add.u32 r1, r1, 1;
  setp.lt.u32 p0, r1, 8;
  @p0 bra LOOP;
END:)";

std::string sum(const std::string& before, const std::string& store) {
  std::string body = kSum;
  body.replace(body.find("STORE"), 5, store);
  return before + body;
}

/// Thread 0 of a persistent block claims work, and a barrier hands it out.
const std::string kClaim = R"(
  .shared .align 4 .b8 word[4];
  setp.ne.u32 p2, %t, 0;
  @p2 bra JOIN;
  atom.global.add.u32 r5, [%base+4096], 1;
  st.shared.u32 [word], r5;
JOIN:
  bar.sync 0;
)";

/// The writing happens in a function that is called.
const std::string kCalls = R"(
.func addOne(.param .b64 where) {
  .reg .b64 a; .reg .b32 v;
  ld.param.u64 a, [where];
  ld.global.u32 v, [a];
  add.u32 v, v, 1;
  st.global.u32 [a], v;
  ret;
}
)" + kernel("calls", kRegisters + "{ .param .b64 x; st.param.b64 [x], at; call addOne, (x); }");

/// Stores through generic pointers to shared memory do not end the opening.
const std::string kShared = R"(
  .shared .align 4 .b8 tile[4096];
  .reg .b64 g;
  cvta.shared.u64 g, tile;
  st.u32 [g+8], %t;
)";

/// Thread t clears word 255 - t and counts in word t, with no barrier between.
std::string histogram(const std::string& atomic) {
  return R"(
  .shared .align 4 .b8 bins[1024];
  .reg .b64 first, mine, other, at; .reg .b32 count;
  mul.wide.u32 at, %t, 4;
  mov.u64 first, bins;
  add.u64 mine, first, at;
  add.u64 other, first, 1020;
  sub.u64 other, other, at;
  st.shared.u32 [other], 0;
  )" + atomic +
         R"(
  bar.sync 0;
  ld.shared.u32 count, [mine];
  add.u64 at, %base, at;
  st.global.u32 [at], count;
  )";
}

/// Even lanes write; then every lane tells its neighbour its number through shared memory, as lanes
/// in lock step can. No lane may be there before the even ones.
const std::string kExchange = kRegisters + R"(
  .shared .align 4 .b8 told[1024];
  .reg .b64 mine, other, out;
  mul.wide.u32 at, %t, 4;
  mov.u64 mine, told;
  add.u64 mine, mine, at;
  xor.b64 other, at, 4;
  mov.u64 out, told;
  add.u64 other, other, out;
  add.u64 out, %base, at;
  and.b32 r2, %t, 1;
  setp.ne.u32 p1, r2, 0;
  @p1 bra TELL;
  st.global.u32 [out+4096], %t;
TELL:
  st.shared.u32 [mine], %t;
  ld.shared.u32 r1, [other];
  st.global.u32 [out], r1;
)";

bool all(const Fixture& f, uint32_t value) {
  for (unsigned lane = 0; lane < 30; ++lane)
    if (f.words[lane] != value)
      return false;
  return f.words[30] == 0 || value == 1;
}

} // namespace

int main() {
  for (const uint64_t seed : {0, 1, 2, 3, 4, 5}) {
    const bool counters = seed == 1;
    Fixture f(kernel("start", sum("", "st.global.u32 [at], old;")) +
                  kernel("persistent", sum(kClaim, "st.global.u32 [at], old;")) +
                  kernel("generic", sum(kShared, "st.u32 [at], old;")) +
                  kernel("atomic", sum("", "atom.global.exch.b32 r3, [at], old;")) + kCalls +
                  kernel("exchange", kExchange) +
                  kernel("counts", histogram("atom.shared.add.u32 count, [mine], 1;")) +
                  kernel("countsGeneric", histogram(".reg .b64 g; cvta.shared.u64 g, mine;\n"
                                                    "red.add.u32 [g], 1;")),
              {.workers = 1, .seed = seed, .counters = counters}, 1);
    for (const char* name : {"start", "persistent", "generic", "atomic"}) {
      f.clear();
      CHECK(f.run(name, {1}, {256}).empty());
      CHECK(all(f, 8));
      if (!all(f, 8))
        std::printf("%s: %u\n", name, f.words[0]);
      f.clear();
      CHECK(f.run(name, {1}, {1024}).empty());
      CHECK(all(f, 8));
    }
    for (const char* name : {"counts", "countsGeneric"}) {
      f.clear();
      CHECK(f.run(name, {1}, {256}).empty());
      CHECK(std::all_of(f.words, f.words + 256, [](uint32_t count) { return count == 1; }));
    }
    f.clear();
    CHECK(f.run("exchange", {1}, {256}).empty());
    for (unsigned thread = 0; thread < 256; ++thread)
      CHECK(f.words[thread] == (thread ^ 1));
    f.clear();
    CHECK(f.run("calls", {1}, {256}).empty());
    CHECK(all(f, 1));
    f.clear();
    CHECK(f.run("start", {1}, {256}).empty());
    // A write that was put off is counted once: 8 warps, 8 stores each.
    CHECK(!counters ||
          (f.last.counters.globalStores == 64 && f.last.counters.loadStore == 64 + 2 * 8 + 8));
    CHECK(!counters || f.last.counters.globalStoreSectors == 64 * 4);
  }
  return finish();
}
