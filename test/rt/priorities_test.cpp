// priorities_test - who steps back for whom, and what the policy is shown.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/Priorities.h"
#include "test/Check.h"

using namespace gpusched;

/// Wants 5 blocks for whoever waits and 3 for whoever runs, and keeps what it was shown.
class Wishing final : public Policy {
public:
  const char* name() const override { return "wishing"; }
  std::vector<Decision> decide(const PolicyState& state) const override {
    shown.clear();
    std::vector<Decision> decisions;
    for (const RunningKernel& running : state.running) {
      shown.push_back(running.lastSequence);
      Decision less;
      less.action = Action::SetBudget;
      less.sequence = running.lastSequence;
      less.blocksPerSm = 3;
      decisions.push_back(less);
    }
    if (silent)
      return decisions;
    Decision start;
    start.sequence = start.set = state.waiting.back().sequence;
    start.blocksPerSm = wish;
    start.urgent = wish == 0;
    decisions.push_back(start);
    return decisions;
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }
  mutable std::vector<uint64_t> shown;
  uint32_t wish = 5;
  bool silent = false;
};

/// Launch 9 waits.
struct Situation {
  PolicyKernel kernel;
  PolicyState state;
  Wishing policy;

  explicit Situation(int32_t priority) {
    kernel.name = "kernel";
    kernel.hasPersistent = true;
    kernel.occupancyBlocksPerSm = 8;
    state.waiting = {{9, 100, &kernel, priority}};
  }
  void runs(uint64_t sequence, int32_t priority, uint32_t blocksPerSm, bool yields = false) {
    RunningKernel running;
    running.firstSequence = running.lastSequence = sequence;
    running.stream = sequence;
    running.blocksPerSm = blocksPerSm;
    running.priority = priority;
    running.yields = yields;
    running.kernel = &kernel;
    state.running.push_back(running);
  }
  std::vector<Decision> decide() {
    const size_t before = state.running.size();
    std::vector<Decision> decisions = decideByPriority(policy, state);
    CHECK_EQUAL(state.running.size(), before);
    return decisions;
  }
};

/// Null: nothing is decided about it.
static const Decision* about(const std::vector<Decision>& decisions, uint64_t sequence) {
  const Decision* found = nullptr;
  for (const Decision& decision : decisions)
    if (decision.sequence == sequence) {
      CHECK(!found);
      found = &decision;
    }
  return found;
}

static void equalsAreThePolicysBusiness() {
  Situation normal(kNormalPriority);
  normal.runs(1, kNormalPriority, 8);
  const std::vector<Decision> decisions = normal.decide();
  CHECK_EQUAL(decisions.size(), size_t(2));
  CHECK_EQUAL(about(decisions, 1)->blocksPerSm, 3u);
  CHECK_EQUAL(about(decisions, 9)->blocksPerSm, 5u);
  CHECK_EQUAL(about(decisions, 9)->blocksPerSmAfter, 0u);
}

static void lowerOnesStepBackForANewcomer() {
  Situation high(kHighPriority);
  high.runs(1, kNormalPriority, 8);
  high.runs(2, kHighPriority, 6);
  high.runs(3, kLowPriority, 1);
  high.runs(4, kLowPriority, 0); // natively
  high.runs(5, kNormalPriority, 1, /*yields=*/true);
  high.runs(6, kLowPriority, 2);
  const std::vector<Decision> decisions = high.decide();
  CHECK(high.policy.shown == std::vector<uint64_t>{2});
  CHECK_EQUAL(decisions.size(), size_t(4));
  CHECK_EQUAL(about(decisions, 1)->blocksPerSm, 1u);
  CHECK_EQUAL(about(decisions, 1)->blocksPerSmAfter, 8u);
  CHECK(about(decisions, 1)->action == Action::SetBudget && about(decisions, 1)->preempts);
  CHECK_EQUAL(about(decisions, 6)->blocksPerSmAfter, 2u);
  CHECK_EQUAL(about(decisions, 2)->blocksPerSm, 3u);
  CHECK_EQUAL(about(decisions, 9)->blocksPerSm, 5u);
  CHECK_EQUAL(about(decisions, 9)->blocksPerSmAfter, 0u);
}

static void aLowerNewcomerStartsSmall() {
  Situation low(kNormalPriority);
  low.runs(1, kHighPriority, 8);
  low.runs(2, kNormalPriority, 1, /*yields=*/true);
  std::vector<Decision> decisions = low.decide();
  CHECK((low.policy.shown == std::vector<uint64_t>{1, 2}));
  CHECK_EQUAL(about(decisions, 9)->blocksPerSm, 1u);
  CHECK_EQUAL(about(decisions, 9)->blocksPerSmAfter, 5u);
  CHECK_EQUAL(about(decisions, 9)->reason, std::string("steps back for a higher priority"));
  CHECK_EQUAL(about(decisions, 1)->blocksPerSm, 3u); // equals among themselves
  CHECK(!about(decisions, 2));                       // it has stepped back already
  low.policy.wish = 0;
  decisions = low.decide();
  CHECK_EQUAL(about(decisions, 9)->blocksPerSm, 1u);
  CHECK_EQUAL(about(decisions, 9)->blocksPerSmAfter, 8u);
  CHECK(!about(decisions, 9)->urgent);
  low.policy.silent = true;
  CHECK_EQUAL(about(low.decide(), 9)->blocksPerSmAfter, 8u);
  low.kernel.hasPersistent = false;
  low.policy.silent = false;
  CHECK_EQUAL(about(low.decide(), 9)->blocksPerSm, 0u);
  CHECK(about(low.decide(), 9)->urgent);
}

/// Else it could not step back later.
static void lowPriorityAlwaysHasABudget() {
  Situation low(kLowPriority);
  low.policy.wish = 0;
  CHECK_EQUAL(about(low.decide(), 9)->blocksPerSm, 8u);
  CHECK_EQUAL(about(low.decide(), 9)->blocksPerSmAfter, 0u);
  low.policy.wish = 5;
  CHECK_EQUAL(about(low.decide(), 9)->blocksPerSm, 5u);
  Situation high(kHighPriority);
  high.policy.wish = 0;
  CHECK_EQUAL(about(high.decide(), 9)->blocksPerSm, 0u);
}

int main() {
  equalsAreThePolicysBusiness();
  lowerOnesStepBackForANewcomer();
  aLowerNewcomerStartsSmall();
  lowPriorityAlwaysHasABudget();
  return checkResult();
}
