// left-over_test - policy `left-over`: the first takes what it can.
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

static void whatIsLeft() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("left-over"));
  PolicyKernel limitedByRegisters = kernel(16);
  limitedByRegisters.registersPerBlock = 8192; // 8 blocks of 128 threads: half of the threads
  limitedByRegisters.occupancyBlocksPerSm = 8;
  PolicyKernel small = kernel(16);
  std::vector<CoRunSet> sets = policy->schedule({limitedByRegisters, small, small}, kTitanXp);
  CHECK_EQUAL(sets.size(), 2u);
  CHECK_EQUAL(sets[0].size(), 2u);
  CHECK_EQUAL(sets[0][0].blocksPerSm, 8u);
  CHECK_EQUAL(sets[0][1].blocksPerSm, 8u); // the other half of the threads
  CHECK_EQUAL(sets[1][0].blocksPerSm, 16u);
}

static void nothingLeftWaits() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("left-over"));
  PolicyKernel full = kernel(16);
  PolicyState state;
  state.limits = kTitanXp;
  state.running.push_back({1, 1, 1, 1, 12, &full});
  state.waiting = {{2, 2, &full}, {3, 3, &full}};
  std::vector<Decision> decisions = policy->decide(state);
  CHECK(decisions[0].action == Action::Start);
  CHECK_EQUAL(decisions[0].blocksPerSm, 4u);
  CHECK(decisions[1].action == Action::Wait);
  CHECK_EQUAL(decisions[1].after.size(), 2u);
}

int main() {
  whatIsLeft();
  nothingLeftWaits();
  return checkResult();
}
