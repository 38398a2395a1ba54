// even_test - policy `even`: equal parts of every SM, in order.
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

static void halvesOfEverySm() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("even"));
  std::vector<CoRunSet> sets = policy->schedule({kernel(16), kernel(8), kernel(4)}, kTitanXp);
  CHECK_EQUAL(sets.size(), 2u);
  CHECK_EQUAL(sets[0][0].blocksPerSm, 8u);
  CHECK_EQUAL(sets[0][1].blocksPerSm, 4u);
  CHECK_EQUAL(sets[1].size(), 1u);
  CHECK_EQUAL(sets[1][0].blocksPerSm, 0u); // alone: native
}

static void aKernelThatNeedsMoreThanItsPartRunsAlone() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("even"));
  std::vector<CoRunSet> sets = policy->schedule({kernel(1), kernel(8), kernel(8)}, kTitanXp);
  CHECK_EQUAL(sets[0].size(), 1u);
  CHECK_EQUAL(sets[1].size(), 2u);
}

static void online() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("even"));
  CHECK(policy->configure("together=4").ok());
  PolicyKernel small = kernel(16);
  PolicyState state;
  state.limits = kTitanXp;
  for (uint64_t sequence = 1; sequence <= 4; ++sequence)
    state.running.push_back({sequence, sequence, sequence, sequence, 4, &small});
  state.waiting.push_back({5, 5, &small});
  Decision fifth = policy->decide(state).at(0);
  CHECK_EQUAL(fifth.blocksPerSm, 4u);
  CHECK(fifth.action == Action::Wait);
  CHECK_EQUAL(fifth.after.at(0), 1u);
  state.running.pop_back();
  CHECK(policy->decide(state).at(0).action == Action::Start);
}

int main() {
  halvesOfEverySm();
  aKernelThatNeedsMoreThanItsPartRunsAlone();
  online();
  return checkResult();
}
