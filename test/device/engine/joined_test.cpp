// joined_test - warp operations whose lanes come to different instructions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EngineTest.h"

using namespace gpusched::cpu::test;

namespace {

/// Lower and upper half take different paths; `low` and `high` leave a result in r1.
std::string branches(const std::string& name, const std::string& low, const std::string& high) {
  return kernel(name, R"(
  mul.lo.u32 r0, %t, 3;
  mov.u32 r1, 7;
  setp.lt.u32 p0, %t, 16;
  setp.lt.u32 p1, %t, 20;
  not.pred p2, p1;
  @p0 bra LOW;
)" + high + R"(
  bra END;
LOW:
)" + low + R"(
END:
  st.global.u32 [%p], r1;)");
}

const std::string kKernels =
    branches("shuffle", "shfl.sync.bfly.b32 r1, r0, 16, 31, 0xffffffff;",
             "add.u32 r5, r0, 100; mov.u32 r6, 16; shfl.sync.bfly.b32 r1|p3, r5, r6, 31, -1;") +
    branches("votes", "vote.sync.ballot.b32 r1, p1, -1; vote.sync.any.pred p4, p1, -1;",
             "vote.sync.ballot.b32 r1, !p2, -1; vote.sync.any.pred p5, p1, -1;"
             "@p5 add.u32 r1, r1, 1;") +
    branches("matches",
             "cvt.u64.u32 d1, %t; and.b64 d1, d1, 1; match.any.sync.b64 r1, d1, -1;"
             "match.all.sync.b32 r2|p4, 5, -1; @p4 xor.b32 r1, r1, r2;",
             "and.b32 r2, %t, 1; cvt.u64.u32 d2, r2; match.any.sync.b64 r1, d2, -1;"
             "match.all.sync.b32 r3|p5, 5, -1; @p5 xor.b32 r1, r1, r3;") +
    branches("sums", "redux.sync.add.u32 r1, %t, -1;",
             "mov.u32 r2, 2; redux.sync.add.u32 r1, r2, -1;") +
    branches("elected", "elect.sync r2|p4, -1; selp.u32 r1, 1, 0, p4;",
             "elect.sync r1|p4, -1; @p4 mov.u32 r1, 99;") +
    branches("modes", "shfl.sync.bfly.b32 r1, r0, 1, 31, -1;",
             "shfl.sync.idx.b32 r1, r0, 1, 31, -1;") +
    branches("masks", "shfl.sync.idx.b32 r1, r0, 1, 31, -1;",
             "shfl.sync.idx.b32 r1, r0, 1, 31, 0xffff0001;");

/// Pairs of neighbours meet: even lanes in a callee, odd ones in the kernel, each with the mask of
/// its pair, so that the groups are complete only in part, one pair after the other.
const std::string kPairs = R"(
.func (.param .b32 result) exchange(.param .b32 value, .param .b32 members)
{
  .reg .b32 v, m;
  ld.param.b32 v, [value];
  ld.param.b32 m, [members];
  shfl.sync.bfly.b32 v, v, 1, 31, m;
  st.param.b32 [result], v;
  ret;
}
)" + kernel("pairs", R"(
  and.b32 r2, %t, 30;
  shl.b32 r3, 3, r2;
  add.u32 r0, %t, 50;
  and.b32 r4, %t, 1;
  setp.eq.u32 p0, r4, 0;
  @p0 bra EVEN;
  shfl.sync.bfly.b32 r1, r0, 1, 31, r3;
  bra END;
EVEN:
  {
  .param .b32 out;
  .param .b32 a;
  .param .b32 b;
  st.param.b32 [a], r0;
  st.param.b32 [b], r3;
  call (out), exchange, (a, b);
  ld.param.b32 r1, [out];
  }
END:
  st.global.u32 [%p], r1;)");

/// A loop unrolled by two, which lanes leave after 1 to 4 rounds; those that left go on to shuffle
/// with those that are still in it.
const std::string kUnrolled = kernel("unrolled", R"(
  and.b32 r0, %t, 3;
  mov.u32 r1, %t;
LOOP:
  shfl.sync.bfly.b32 r2, r1, 4, 31, 0xffffffff;
  add.u32 r1, r1, r2;
  setp.eq.u32 p0, r0, 0;
  @p0 bra LEFT;
  sub.u32 r0, r0, 1;
  shfl.sync.bfly.b32 r2, r1, 4, 31, 0xffffffff;
  add.u32 r1, r1, r2;
  setp.eq.u32 p0, r0, 0;
  @p0 bra LEFT;
  sub.u32 r0, r0, 1;
  bra LOOP;
LEFT:
  and.b32 r3, %t, 3;
REST:
  setp.eq.u32 p1, r3, 3;
  @p1 bra END;
  shfl.sync.bfly.b32 r2, 0, 4, 31, 0xffffffff;
  add.u32 r3, r3, 1;
  bra REST;
END:
  st.global.u32 [%p], r1;)");

template <class Want> void expect(Fixture& f, const char* name, Want want) {
  f.clear();
  const std::string message = f.run(name, {1}, {32});
  bool good = message.empty();
  for (uint32_t lane = 0; lane < 32; ++lane)
    good &= f.words[lane] == want(lane);
  if (!good)
    std::printf("%s: %s\n", name, message.c_str());
  CHECK(good);
}

} // namespace

int main() {
  Fixture f(kKernels + kPairs + kUnrolled);
  expect(f, "shuffle", [](uint32_t lane) { return 3 * (lane ^ 16) + (lane < 16 ? 100u : 0u); });
  expect(f, "votes", [](uint32_t lane) { return 0xfffffu + (lane >= 16); });
  expect(f, "matches", [](uint32_t lane) { return ~(lane & 1 ? 0xaaaaaaaau : 0x55555555u); });
  expect(f, "sums", [](uint32_t) { return 120 + 32u; });
  expect(f, "elected", [](uint32_t lane) { return lane < 16 ? lane == 0 : 0u; });
  expect(f, "pairs", [](uint32_t lane) { return 50 + (lane ^ 1); });
  // Rounds: a lane doubles what it and its partner, which leaves with it, hold together.
  expect(f, "unrolled", [](uint32_t lane) { return (lane + (lane ^ 4)) << (lane & 3); });
  for (const char* name : {"modes", "masks"})
    CHECK(f.run(name, {1}, {32}).find("never continue") != std::string::npos);
  return finish();
}
