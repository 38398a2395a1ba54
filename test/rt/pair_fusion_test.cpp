// pair_fusion_test - when one launch with the blocks of two is worth more than the two.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are given by what limits them, as in policy/bottleneck_test.cpp.
#include "rt/fusion/PairFusion.h"
#include "rt/policy/Predictor.h"
#include "test/Check.h"
#include "test/rt/CurvedKernel.h"

#include <algorithm>

using namespace gpusched;

static PolicyKernel kernel(const char* name, Resource limit, double busy, double knee,
                           double timeUs = 1000) {
  PolicyKernel made = curvedKernel(name, limit, busy, knee, timeUs);
  made.blocks = 30 * 16 * 20;
  return made;
}

static const PolicyKernel kMemory = kernel("memory", kDramBandwidth, 0.98, 8);
static const PolicyKernel kDoubles = kernel("doubles", kFp64Pipe, 0.98, 2);
static const PolicyKernel kIssue = kernel("issue", kIssueSlots, 0.98, 16);

static FusionAnswer ask(const PolicyKernel& first, const PolicyKernel& second, bool oneStream,
                        uint32_t resident = 16, const PolicyKernel* pair = nullptr) {
  return decideFusion({&first, &second, pair, resident, kTitanXp, oneStream});
}

static bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

static void complementaryKernelsFuse() {
  const FusionAnswer answer = ask(kMemory, kDoubles, true);
  CHECK(answer.fuse);
  CHECK_NEAR(answer.otherwiseUs, 2000, 1);
  CHECK(answer.fusedUs > 999);
  CHECK(answer.fusedUs < 1300);
  CHECK(contains(answer.reason, "predicted") && contains(answer.reason, "one after the other"));
  const FusionAnswer turned = ask(kDoubles, kMemory, true);
  CHECK_NEAR(turned.fusedUs, answer.fusedUs, 1);
}

static void kernelsThatFillOneResourceDoNot() {
  for (const PolicyKernel* each : {&kMemory, &kDoubles, &kIssue}) {
    const FusionAnswer answer = ask(*each, *each, true);
    CHECK(!answer.fuse);
    CHECK_NEAR(answer.fusedUs, 2000, 250);
  }
}

/// Both end together, whatever their times: the longer one is given more of the SM.
static void theLongerOneIsGivenMore() {
  const PolicyKernel longer = kernel("longer", kFp64Pipe, 0.98, 2, 4000);
  const FusionAnswer answer = ask(kMemory, longer, true);
  CHECK(answer.fuse);
  CHECK(answer.fusedUs > 3950);
  CHECK(answer.fusedUs < 4400);
}

/// With one block on an SM they take turns. Kernels that need all places of their own lose.
static void fewPlacesCost() {
  const FusionAnswer one = ask(kMemory, kDoubles, true, 1);
  CHECK_NEAR(one.fusedUs, 8000 + 2000, 200); // at one block an SM each
  CHECK(!one.fuse);
  double before = one.fusedUs;
  for (uint32_t resident = 2; resident <= 16; ++resident) {
    const double now = ask(kMemory, kDoubles, true, resident).fusedUs;
    CHECK(now < before * 1.01);
    before = now;
  }
  CHECK(ask(kMemory, kDoubles, true, 0).fusedUs == 0);
}

/// Two streams might run beside each other as twins anyway.
static void ofTwoStreamsItMustBeatTwins() {
  const FusionAnswer two = ask(kMemory, kDoubles, false);
  Prediction beside;
  (void)bestBudgets({&kMemory, &kDoubles}, kTitanXp, {}, Goal{.once = true}, beside);
  CHECK_NEAR(two.otherwiseUs, beside.timeUs, 1);
  CHECK(two.otherwiseUs < ask(kMemory, kDoubles, true).otherwiseUs);
  CHECK(contains(two.reason, "as two"));
  CHECK(ask(kMemory, kMemory, false).otherwiseUs <= 2000.1); // never more than the sum
  PolicyKernel native = kDoubles;
  native.hasPersistent = false;
  CHECK_NEAR(ask(kMemory, native, false).otherwiseUs, 2000, 1);
}

static void unknownKernelsStayTwo() {
  PolicyKernel unknown = kDoubles, vague = kDoubles;
  unknown.profiled = false;
  vague.utilisation = {};
  const PolicyKernel measured = kernel("pair", kFp64Pipe, 0.98, 2, 100);
  CHECK(!ask(kMemory, unknown, true).fuse);
  CHECK(!ask(unknown, kMemory, true, 16, &measured).fuse);
  CHECK(contains(ask(kMemory, unknown, true).reason, "'doubles' is not profiled"));
  CHECK(!ask(kMemory, vague, true).fuse);
  CHECK(contains(ask(kMemory, vague, true).reason, "do not say what limits"));
  CHECK(ask(kMemory, vague, true, 16, &measured).fuse);
}

static void whatWasMeasuredGoesBeforeTheModel() {
  PolicyKernel pair = kernel("pair", kFp64Pipe, 0.98, 2, 2100);
  CHECK(!ask(kMemory, kDoubles, true, 16, &pair).fuse);
  CHECK_NEAR(ask(kMemory, kDoubles, true, 16, &pair).fusedUs, 2100, 0.01);
  pair.timeUs = 1500;
  CHECK(ask(kMemory, kMemory, true, 16, &pair).fuse);
  CHECK(contains(ask(kMemory, kMemory, true, 16, &pair).reason, "measured 1500.0 us"));
  pair.timeUs = 1970; // less than the margin
  CHECK(!ask(kMemory, kMemory, true, 16, &pair).fuse);
  pair.timeUs = 1950;
  CHECK(ask(kMemory, kMemory, true, 16, &pair).fuse);
  pair.profiled = false;
  CHECK(!ask(kMemory, kMemory, true, 16, &pair).fuse);
}

/// A block or two on an SM: each is as fast as it is alone, where the other is not in its way.
static void smallGridsRunAtOnce() {
  PolicyKernel a = kernel("a", kFp64Pipe, 0.3, 16, 100), b = kernel("b", kIssueSlots, 0.3, 16, 60);
  a.blocks = 30;
  b.blocks = 2 * 30;
  const FusionAnswer answer = ask(a, b, true);
  CHECK(answer.fuse);
  CHECK_NEAR(answer.fusedUs, 100, 10);
  CHECK_NEAR(ask(b, a, true).fusedUs, answer.fusedUs, 1);
  // One place less than they need, and places are shared out again.
  CHECK(ask(a, b, true, 2).fusedUs > answer.fusedUs + 5);
  CHECK_NEAR(ask(a, b, true, 3).fusedUs, answer.fusedUs, 1);
  // Where they are, the longer one has the SM for itself in the end.
  PolicyKernel longer = kernel("longer", kFp64Pipe, 0.9, 16, 100), shorter = longer;
  longer.blocks = shorter.blocks = 4 * 30;
  shorter.timeUs = 20;
  const FusionAnswer both = ask(longer, shorter, true);
  longer.occupancyBlocksPerSm = shorter.occupancyBlocksPerSm = 4;
  const Prediction beside = predict({&longer, &shorter}, {4, 4}, kTitanXp);
  const double end = 20 / beside.progress[1], left = 1 - end * beside.progress[0] / 100;
  CHECK_NEAR(both.fusedUs, end + left * 100, 0.1);
}

/// What a twin costs, a block of the pair does not.
static void dearTwinsDoNotCount() {
  PolicyKernel dear = kDoubles;
  dear.persistentTimeUs = 1500;
  CHECK_NEAR(ask(kMemory, dear, true).fusedUs, ask(kMemory, kDoubles, true).fusedUs, 1);
}

int main() {
  complementaryKernelsFuse();
  kernelsThatFillOneResourceDoNot();
  theLongerOneIsGivenMore();
  fewPlacesCost();
  ofTwoStreamsItMustBeatTwins();
  unknownKernelsStayTwo();
  whatWasMeasuredGoesBeforeTheModel();
  smallGridsRunAtOnce();
  dearTwinsDoNotCount();
  return checkResult();
}
