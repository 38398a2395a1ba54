// bottleneck_test - policy `bottleneck` and its predictor.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are given by what limits them: a memory kernel fills DRAM at half of its blocks, a
// compute kernel the issue slots at all of them, a latency-bound one nothing.
#include "rt/policy/Predictor.h"
#include "test/rt/Check.h"

#include <set>

using namespace gpusched;

static const DeviceLimits kTitanXp = {30, 65536, 98304, 32, 2048, 547.6, 12150};

static PolicyKernel kernel(const char* name, Resource limit, double busy, double knee) {
  PolicyKernel made;
  made.name = name;
  made.hasPersistent = made.profiled = true;
  made.threadsPerBlock = 128;
  made.registersPerBlock = 4096;
  made.occupancyBlocksPerSm = 16;
  made.timeUs = 1000;
  for (int blocks = 1; blocks <= 16; ++blocks)
    made.budgetCurve.push_back(std::min(1.0, blocks / knee));
  made.utilisation[limit] = busy;
  return made;
}

static const PolicyKernel kMemory = kernel("memory", kDramBandwidth, 0.98, 8);
static const PolicyKernel kCompute = kernel("compute", kIssueSlots, 0.95, 10);
static const PolicyKernel kDoubles = kernel("doubles", kFp64Pipe, 0.98, 2);

static void aloneTheCurveComesOut() {
  for (uint32_t blocks = 1; blocks <= 16; ++blocks) {
    Prediction alone = predict({&kMemory}, {blocks});
    CHECK_NEAR(alone.gain, kMemory.budgetCurve[blocks - 1], 0.02);
  }
}

static void differentBottlenecksGainEqualOnesDoNot() {
  Prediction mixed, same;
  CHECK(!bestBudgets({&kMemory, &kDoubles}, kTitanXp, {}, 0.5, mixed).empty());
  bestBudgets({&kMemory, &kMemory}, kTitanXp, {}, 0, same);
  CHECK(mixed.gain > 1.7);
  CHECK(same.gain < 1.05);
  CHECK(same.gain > 0.9);
}

static void budgetsFitAndFixedOnesStay() {
  Prediction prediction;
  Budgets budgets = bestBudgets({&kMemory, &kCompute}, kTitanXp, {}, 0.5, prediction);
  CHECK(fitsTogether({&kMemory, &kCompute}, budgets, kTitanXp));
  budgets = bestBudgets({&kMemory, &kCompute}, kTitanXp, {5, 0}, 0.5, prediction);
  CHECK_EQUAL(budgets[0], 5u);
}

static void withoutAProfileNothingIsPredicted() {
  PolicyKernel unknown;
  unknown.occupancyBlocksPerSm = 8;
  CHECK_EQUAL(predict({&unknown, &kMemory}, {4, 4}).gain, 0.0);
}

static std::string sets(const std::vector<PolicyKernel>& kernels) {
  std::string text;
  std::set<size_t> seen;
  for (const CoRunSet& set : std::move(*makePolicy("bottleneck"))->schedule(kernels, kTitanXp)) {
    text += text.empty() ? "" : " | ";
    for (size_t i = 0; i < set.size(); ++i) {
      text.append(i ? "+" : "").append(kernels[set[i].kernel].name);
      seen.insert(set[i].kernel);
    }
  }
  CHECK_EQUAL(seen.size(), kernels.size());
  return text;
}

static void plans() {
  CHECK_EQUAL(sets({}), "");
  CHECK_EQUAL(sets({kMemory, kMemory}), "memory | memory");
  CHECK_EQUAL(sets({kMemory, kDoubles}), "doubles+memory"); // the longer first
  PolicyKernel small = kDoubles;
  small.name = "d";
  small.timeUs = 250; // four of them last as long as the memory kernel
  CHECK_EQUAL(sets({small, kMemory, small, small, small}), "memory+d+d+d+d");
}

static void online() {
  std::unique_ptr<Policy> policy = std::move(*makePolicy("bottleneck"));
  PolicyState state;
  state.limits = kTitanXp;
  state.waiting = {{1, 1, &kMemory}, {2, 2, &kDoubles}, {3, 3, &kMemory}};
  std::vector<Decision> made = policy->decide(state);
  std::vector<Decision> starts;
  for (const Decision& decision : made)
    if (decision.action != Action::SetBudget)
      starts.push_back(decision);
  CHECK_EQUAL(starts.size(), 3u);
  CHECK_EQUAL(starts[1].set, starts[0].set);
  CHECK(starts[1].reason.find("beside 'memory'") != std::string::npos);
  CHECK(starts[2].action == Action::Wait);
  CHECK_EQUAL(starts[2].after.size(), 2u);
}

int main() {
  aloneTheCurveComesOut();
  differentBottlenecksGainEqualOnesDoNot();
  budgetsFitAndFixedOnesStay();
  withoutAProfileNothingIsPredicted();
  plans();
  online();
  return checkResult();
}
