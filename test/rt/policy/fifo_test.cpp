// fifo_test - policy `fifo`: launches dealt to K streams.
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

int main() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("fifo"));
  CHECK(policy->configure("streams=3").ok());
  std::vector<CoRunSet> sets = policy->schedule(std::vector<PolicyKernel>(7, kernel(8)), kTitanXp);
  CHECK_EQUAL(sets.size(), 1u);
  CHECK_EQUAL(sets[0].size(), 7u);
  CHECK_EQUAL(sets[0][6].lane, sets[0][0].lane);
  CHECK(sets[0][1].lane != sets[0][0].lane);
  CHECK_EQUAL(sets[0][0].blocksPerSm, 0u);
  CHECK(policy->schedule({}, kTitanXp).empty());
  PolicyKernel any = kernel(8);
  PolicyState state;
  state.running = {{1, 1, 1, 1, 0, &any}, {2, 2, 2, 2, 0, &any}, {3, 3, 3, 3, 0, &any}};
  state.waiting.push_back({4, 4, &any});
  Decision fourth = policy->decide(state).at(0);
  CHECK_EQUAL(fourth.after.at(0), 1u);
  return checkResult();
}
