// warped-slicer_test - policy `warped-slicer`: water-filling over the curves.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/Policy.h"
#include "test/Check.h"

using namespace gpusched;

static const DeviceLimits kTitanXp = {30, 65536, 98304, 32, 2048, 547.6, 12150};

static PolicyKernel kernel(uint32_t occupancy, std::vector<double> curve = {}) {
  PolicyKernel made;
  made.hasPersistent = made.profiled = true;
  made.threadsPerBlock = 2048 / occupancy;
  made.occupancyBlocksPerSm = occupancy;
  made.budgetCurve = std::move(curve);
  return made;
}

/// The thesis' example: its curves give stencil 12 blocks and spmv 3, and so 1.93x for the pair.
static void thesisExample() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("warped-slicer"));
  std::vector<double> stencilCurve, spmvCurve;
  for (int blocks = 1; blocks <= 16; ++blocks)
    stencilCurve.push_back(blocks < 12 ? blocks / 12.0 : 1);
  for (int blocks = 1; blocks <= 12; ++blocks)
    spmvCurve.push_back(blocks == 1   ? 68.0 / 137
                        : blocks == 2 ? 0.8
                        : blocks == 3 ? 68 / 70.5
                                      : 1 - 0.0146 * (blocks - 4));
  PolicyKernel stencil = kernel(16, stencilCurve), spmv = kernel(12, spmvCurve);
  stencil.registersPerBlock = 4096, spmv.registersPerBlock = 5148;
  spmv.threadsPerBlock = 156;
  std::vector<CoRunSet> sets = policy->schedule({stencil, spmv}, kTitanXp);
  CHECK_EQUAL(sets.size(), 1u);
  CHECK_EQUAL(sets[0][0].blocksPerSm, 12u);
  CHECK_EQUAL(sets[0][1].blocksPerSm, 3u);
}

static void leastPerformanceIsRaisedFirst() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("warped-slicer"));
  PolicyKernel flat = kernel(16, std::vector<double>(16, 1.0)), steep = kernel(16);
  for (int blocks = 1; blocks <= 16; ++blocks)
    steep.budgetCurve.push_back(blocks / 16.0);
  std::vector<CoRunSet> sets = policy->schedule({flat, steep}, kTitanXp);
  CHECK_EQUAL(sets[0][0].blocksPerSm, 1u);
  CHECK_EQUAL(sets[0][1].blocksPerSm, 15u);
}

static void smsAreDividedWhenAnSmCannotBe() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("warped-slicer"));
  CHECK(policy->configure("spatial_below=0.9").ok());
  PolicyKernel steep = kernel(4, {0.25, 0.5, 0.75, 1});
  std::vector<CoRunSet> sets = policy->schedule({steep, steep}, kTitanXp);
  CHECK_EQUAL(sets[0][0].sms.size(), 15u);
  CHECK_EQUAL(sets[0][1].sms.size(), 15u);
  CHECK(sets[0][0].sms[0] != sets[0][1].sms[0]);
  CHECK_EQUAL(sets[0][0].blocksPerSm, 4u);
}

static void aNewcomerLowersTheRunningBudget() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("warped-slicer"));
  PolicyKernel steep = kernel(4, {0.25, 0.5, 0.75, 1});
  PolicyState state;
  state.limits = kTitanXp;
  state.running.push_back({1, 1, 1, 1, 4, &steep});
  state.waiting.push_back({2, 2, &steep});
  std::vector<Decision> decisions = policy->decide(state);
  CHECK_EQUAL(decisions.size(), 2u);
  CHECK(decisions[0].action == Action::SetBudget);
  CHECK_EQUAL(decisions[0].blocksPerSm, 2u);
  CHECK_EQUAL(decisions[1].blocksPerSm, 2u);
}

int main() {
  thesisExample();
  leastPerformanceIsRaisedFirst();
  smsAreDividedWhenAnSmCannotBe();
  aNewcomerLowersTheRunningBudget();
  return checkResult();
}
