// serial_test - policy `serial`: one kernel at a time, in order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/Policy.h"
#include "test/Check.h"

using namespace gpusched;

static void everyLaunchWaitsForTheOneBefore() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("serial"));
  PolicyKernel kernel;
  PolicyState state;
  state.running.push_back({1, 4, 1, 1, 0, &kernel});
  state.waiting = {{5, 2, &kernel}, {6, 3, &kernel}};
  std::vector<Decision> decisions = policy->decide(state);
  CHECK_EQUAL(decisions.size(), 2u);
  CHECK(decisions[0].action == Action::Wait);
  CHECK_EQUAL(decisions[0].after.at(0), 4u);
  CHECK_EQUAL(decisions[1].after.at(0), 5u);
  state.running.clear();
  CHECK(policy->decide(state)[0].action == Action::Start);
}

static void aSetEachInOrder() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("serial"));
  std::vector<CoRunSet> sets = policy->schedule(std::vector<PolicyKernel>(3), {});
  CHECK_EQUAL(sets.size(), 3u);
  for (size_t i = 0; i < sets.size(); ++i) {
    CHECK_EQUAL(sets[i].size(), 1u);
    CHECK_EQUAL(sets[i][0].kernel, i);
    CHECK_EQUAL(sets[i][0].blocksPerSm, 0u);
  }
}

int main() {
  everyLaunchWaitsForTheOneBefore();
  aSetEachInOrder();
  return checkResult();
}
