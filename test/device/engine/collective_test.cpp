// collective_test - every mode of shfl, vote, match and redux against the host, on random values.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lanes of the member mask run the operation; the others skip it and keep what they had. The
// host side is written from the PTX reference, not from the engine.
#include "EngineTest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <random>

using namespace gpusched::cpu::test;

namespace {

using Values = std::array<uint32_t, 32>;
struct Outcome {
  uint32_t word = 0;
  bool predicate = false;
};
/// What `lane` gets; a, b, c are the lanes' operands.
using Host = std::function<Outcome(unsigned lane, uint32_t mask, const Values& a, const Values& b,
                                   const Values& c)>;

constexpr unsigned kRounds = 64, kResult = 4096, kKept = 0x5a5a5a5a;

/// Words of lane l: a, b, c, mask at 4 * l; word and predicate at kResult + 2 * l.
std::string kernelOf(const std::string& text) {
  return kernel("k", R"(
  .reg .b32 a, b, c, mask, word; .reg .b64 wide; .reg .pred got, p, member;
  mul.wide.u32 d0, %t, 16;
  add.u64 d0, %base, d0;
  ld.global.v4.u32 {a, b, c, mask}, [d0];
  mov.b64 wide, {a, b};
  setp.gt.s32 p, a, 0;
  mov.u32 word, 0x5a5a5a5a;
  setp.ne.u32 got, 0, 0;
  shr.u32 r0, mask, %t;
  and.b32 r0, r0, 1;
  setp.ne.u32 member, r0, 0;
  @!member bra SKIP;
)" + text + R"(
SKIP:
  selp.u32 r1, 1, 0, got;
  mul.wide.u32 d0, %t, 8;
  add.u64 d0, %base, d0;
  st.global.v2.u32 [d0+16384], {word, r1};)");
}

void checkForm(const std::string& text, const Host& host) {
  Fixture f(kernelOf(text), {.workers = 1}, 1);
  std::mt19937 random(7);
  bool good = f.loaded != nullptr;
  for (unsigned round = 0; good && round < kRounds; ++round) {
    const uint32_t mask = round % 2 ? uint32_t(random()) | 1 : ~0u;
    Values a, b, c;
    const uint32_t few = round % 4 + 1;
    for (unsigned lane = 0; lane < 32; ++lane) {
      a[lane] = round % 8 < 5 ? uint32_t(random() % few) - 1 : uint32_t(random());
      b[lane] = random() % 34;
      c[lane] = uint32_t(random() & 0x1f1f);
      const uint32_t words[4] = {a[lane], b[lane], c[lane], mask};
      std::memcpy(f.words + lane * 4, words, sizeof words);
    }
    const std::string message = f.run("k", {1}, {32});
    good = message.empty();
    for (unsigned lane = 0; lane < 32; ++lane) {
      const Outcome want = mask >> lane & 1 ? host(lane, mask, a, b, c) : Outcome{kKept, false};
      good &= f.words[kResult + lane * 2] == want.word &&
              f.words[kResult + lane * 2 + 1] == want.predicate;
    }
    if (!good)
      std::printf("%s, round %u: %s\n", text.c_str(), round, message.c_str());
  }
  CHECK(good);
}

/// The lane that `lane` reads, or none.
int shuffleSource(char mode, unsigned lane, uint32_t b, uint32_t c) {
  const unsigned segment = c >> 8 & 31, clamp = c & 31;
  const int last = int((lane & segment) | (clamp & ~segment)), by = int(b & 31), at = int(lane);
  const int from = mode == 'u'   ? at - by
                   : mode == 'd' ? at + by
                   : mode == 'b' ? at ^ by
                                 : int(lane & segment) | (by & int(~segment & 31));
  return mode == 'u' ? (from >= last ? from : -1) : (from <= last ? from : -1);
}

void shuffles() {
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    const Host host = [=](unsigned lane, uint32_t mask, const Values& a, const Values& b,
                          const Values& c) {
      const int from = shuffleSource(mode[0], lane, b[lane], c[lane]);
      // What a lane outside the mask holds is undefined; here it is its register.
      (void)mask;
      return Outcome{a[from < 0 ? lane : unsigned(from) & 31], from >= 0};
    };
    checkForm("shfl.sync." + mode + ".b32 word|got, a, b, c, mask;", host);
  }
}

void votes() {
  const auto yes = [](uint32_t mask, const Values& a) {
    uint32_t bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      bits |= uint32_t(int32_t(a[lane]) > 0) << lane;
    return bits & mask;
  };
  for (const bool negated : {false, true}) {
    const std::string p = negated ? ", !p, mask;" : ", p, mask;";
    const auto those = [=](uint32_t mask, const Values& a) {
      return negated ? mask & ~yes(mask, a) : yes(mask, a);
    };
    checkForm("vote.sync.ballot.b32 word" + p,
              [=](unsigned, uint32_t mask, const Values& a, const Values&, const Values&) {
                return Outcome{those(mask, a), false};
              });
    checkForm("vote.sync.all.pred got" + p,
              [=](unsigned, uint32_t mask, const Values& a, const Values&, const Values&) {
                return Outcome{kKept, those(mask, a) == mask};
              });
    checkForm("vote.sync.any.pred got" + p,
              [=](unsigned, uint32_t mask, const Values& a, const Values&, const Values&) {
                return Outcome{kKept, those(mask, a) != 0};
              });
    checkForm("vote.sync.uni.pred got" + p,
              [=](unsigned, uint32_t mask, const Values& a, const Values&, const Values&) {
                return Outcome{kKept, those(mask, a) == mask || those(mask, a) == 0};
              });
  }
}

void matches() {
  for (const bool wide : {false, true}) {
    const auto equals = [=](unsigned lane, uint32_t mask, const Values& a, const Values& b) {
      uint32_t same = 0;
      for (unsigned other = 0; other < 32; ++other)
        same |= uint32_t(a[other] == a[lane] && (!wide || b[other] == b[lane])) << other;
      return same & mask;
    };
    const std::string operands = wide ? ".b64 word" : ".b32 word";
    const std::string rest = wide ? ", wide, mask;" : ", a, mask;";
    checkForm("match.any.sync" + operands + rest,
              [=](unsigned lane, uint32_t mask, const Values& a, const Values& b, const Values&) {
                return Outcome{equals(lane, mask, a, b), false};
              });
    checkForm("match.all.sync" + operands + "|got" + rest,
              [=](unsigned lane, uint32_t mask, const Values& a, const Values& b, const Values&) {
                const bool all = equals(lane, mask, a, b) == mask;
                return Outcome{all ? mask : 0, all};
              });
  }
}

template <class T, class F> void reduction(const std::string& name, F combine) {
  checkForm("redux.sync." + name + " word, a, mask;",
            [=](unsigned, uint32_t mask, const Values& a, const Values&, const Values&) {
              T total = T(a[unsigned(std::countr_zero(mask))]);
              for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1)
                total = combine(total, T(a[unsigned(std::countr_zero(rest))]));
              return Outcome{uint32_t(total), false};
            });
}

void reductions() {
  using U = uint32_t;
  using S = int32_t;
  reduction<U>("add.u32", [](U a, U b) { return a + b; });
  reduction<U>("add.s32", [](U a, U b) { return a + b; });
  reduction<U>("min.u32", [](U a, U b) { return std::min(a, b); });
  reduction<U>("max.u32", [](U a, U b) { return std::max(a, b); });
  reduction<S>("min.s32", [](S a, S b) { return std::min(a, b); });
  reduction<S>("max.s32", [](S a, S b) { return std::max(a, b); });
  reduction<U>("and.b32", [](U a, U b) { return a & b; });
  reduction<U>("or.b32", [](U a, U b) { return a | b; });
  reduction<U>("xor.b32", [](U a, U b) { return a ^ b; });
}

} // namespace

int main() {
  shuffles();
  votes();
  matches();
  reductions();
  checkForm("elect.sync word|got, mask;",
            [](unsigned lane, uint32_t mask, const Values&, const Values&, const Values&) {
              const unsigned leader = unsigned(std::countr_zero(mask));
              return Outcome{leader, lane == leader};
            });
  checkForm("activemask.b32 word;", [](unsigned, uint32_t mask, const Values&, const Values&,
                                       const Values&) { return Outcome{mask, false}; });
  return finish();
}
