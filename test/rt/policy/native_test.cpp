// native_test - policy `native`: everything starts as launched.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/Policy.h"
#include "test/Check.h"

using namespace gpusched;

int main() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("native"));
  PolicyKernel kernel;
  kernel.hasPersistent = kernel.profiled = true;
  kernel.occupancyBlocksPerSm = 4;
  PolicyState state;
  state.running.push_back({1, 1, 1, 1, 0, &kernel});
  state.waiting.push_back({2, 2, &kernel});
  Decision decision = policy->decide(state).at(0);
  CHECK(decision.action == Action::Start);
  CHECK_EQUAL(decision.blocksPerSm, 0u);
  CHECK(decision.after.empty());
  std::vector<CoRunSet> sets = policy->schedule({kernel, kernel}, {});
  CHECK_EQUAL(sets.size(), 1u);
  CHECK_EQUAL(sets[0].size(), 2u);
  CHECK(sets[0][0].lane != sets[0][1].lane);
  return checkResult();
}
