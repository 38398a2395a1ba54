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
    state.waiting = {{9, 100, &kernel, priority, 0, alwaysHasBudget(priority)}};
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
    std::vector<Decision> decisions = decideByPriority(state, [&] { return policy.decide(state); });
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
  CHECK(!about(decisions, 1)); // nobody steps back for a lower one
  CHECK(!about(decisions, 2)); // it has stepped back already
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

/// Four SMs of 1024 threads; a kernel of 128 threads a block has 8 blocks on one, if it can. What
/// waits is in a stream of priority 0 unless told otherwise.
struct Streams : Situation {
  PolicyKernel wide; // 256 threads a block

  explicit Streams(int32_t streamPriority = 0) : Situation(kNormalPriority) {
    state.limits.sms = 4;
    state.limits.threadsPerSm = 1024;
    kernel.threadsPerBlock = 128;
    wide = kernel;
    wide.threadsPerBlock = 256;
    wide.occupancyBlocksPerSm = 4;
    state.waiting.back().streamPriority = streamPriority;
    policy.wish = 8;
  }
  RunningKernel& runs(uint64_t sequence, int32_t streamPriority, uint32_t blocksPerSm) {
    Situation::runs(sequence, kNormalPriority, blocksPerSm);
    state.running.back().streamPriority = streamPriority;
    return state.running.back();
  }
  void waitsWide(uint64_t blocks) {
    state.waiting.back().kernel = &wide;
    state.waiting.back().blocks = blocks;
    policy.wish = 0;
  }
};

static void aSmallGridTakesLittleRoom() {
  Streams urgent(5);
  urgent.waitsWide(4); // one on each SM
  urgent.runs(1, 0, 8);
  std::vector<Decision> decisions = urgent.decide();
  CHECK(urgent.policy.shown.empty());
  CHECK_EQUAL(decisions.size(), size_t(2));
  CHECK_EQUAL(about(decisions, 1)->blocksPerSm, 6u);
  CHECK_EQUAL(about(decisions, 1)->blocksPerSmAfter, 8u);
  CHECK(about(decisions, 1)->preempts);
  CHECK_EQUAL(about(decisions, 9)->blocksPerSm, 0u);
  urgent.state.waiting.back().blocks = 5; // two on one of them
  CHECK_EQUAL(about(urgent.decide(), 1)->blocksPerSm, 4u);
  urgent.state.waiting.back().blocks = 100; // all that fit
  CHECK_EQUAL(about(urgent.decide(), 1)->blocksPerSm, 1u);
  urgent.state.waiting.back().blocks = 0; // not known
  CHECK_EQUAL(about(urgent.decide(), 1)->blocksPerSm, 1u);
  urgent.policy.wish = 3; // of its twin
  CHECK_EQUAL(about(urgent.decide(), 1)->blocksPerSm, 2u);
  urgent.state.waiting.back().blocks = 4;
  urgent.state.limits.sms = 0; // not known
  CHECK_EQUAL(about(urgent.decide(), 1)->blocksPerSm, 2u);
}

static void everyResourceIsCounted() {
  for (uint64_t DeviceLimits::* limit :
       {&DeviceLimits::registersPerSm, &DeviceLimits::sharedBytesPerSm}) {
    Streams urgent(5);
    urgent.waitsWide(4);
    urgent.runs(1, 0, 8);
    urgent.kernel.registersPerBlock = urgent.kernel.sharedBytesPerBlock = 100;
    urgent.wide.registersPerBlock = urgent.wide.sharedBytesPerBlock = 100;
    urgent.state.limits.threadsPerSm = 0;
    urgent.state.limits.*limit = 500;
    CHECK_EQUAL(about(urgent.decide(), 1)->blocksPerSm, 4u);
  }
  Streams urgent(5);
  urgent.waitsWide(4);
  urgent.runs(1, 0, 8);
  urgent.state.limits.threadsPerSm = 0;
  urgent.state.limits.blocksPerSm = 8;
  CHECK_EQUAL(about(urgent.decide(), 1)->blocksPerSm, 7u);
}

static void whatFitsStays() {
  Streams urgent(5);
  urgent.waitsWide(4);
  urgent.runs(1, 0, 6);
  urgent.runs(2, 0, 0); // natively: it has what it gets
  std::vector<Decision> decisions = urgent.decide();
  CHECK_EQUAL(decisions.size(), size_t(1));
  urgent.state.limits.threadsPerSm = 0; // not known
  urgent.state.running.front().blocksPerSm = 8;
  CHECK_EQUAL(urgent.decide().size(), size_t(1));
}

/// In one stream one after the other; of two streams the larger one gives.
static void roomIsForAllStreams() {
  Streams urgent(5);
  urgent.waitsWide(4);
  urgent.runs(1, 0, 5).stream = 50;
  urgent.runs(2, 0, 3).stream = 60;
  urgent.runs(3, 0, 4).stream = 50;
  std::vector<Decision> decisions = urgent.decide();
  CHECK_EQUAL(about(decisions, 1)->blocksPerSm, 3u);
  CHECK_EQUAL(about(decisions, 3)->blocksPerSm, 3u);
  CHECK(!about(decisions, 2));
  RunningKernel& early = urgent.runs(4, 5, 2); // its stream's, so they take turns
  early.kernel = &urgent.wide;
  early.stream = 100;
  decisions = urgent.decide();
  CHECK_EQUAL(about(decisions, 1)->blocksPerSm, 2u);
  CHECK_EQUAL(about(decisions, 2)->blocksPerSm, 2u);
  CHECK_EQUAL(about(decisions, 3)->blocksPerSm, 2u);
  CHECK((urgent.policy.shown == std::vector<uint64_t>{4}));
}

/// What is in between steps back for the highest and others for it, natively too.
static void roomIsMadeFromAbove() {
  Streams urgent(5);
  urgent.waitsWide(4);
  urgent.runs(1, 0, 5);
  urgent.runs(2, 2, 7);
  std::vector<Decision> decisions = urgent.decide();
  CHECK_EQUAL(about(decisions, 2)->blocksPerSm, 6u);
  CHECK_EQUAL(about(decisions, 1)->blocksPerSm, 1u);
  urgent.state.running.back().blocksPerSm = 0;
  urgent.state.running.back().blocks = 8;
  decisions = urgent.decide();
  CHECK(!about(decisions, 2));
  CHECK_EQUAL(about(decisions, 1)->blocksPerSm, 4u);
}

static void aNewcomerTakesTheRoomThatIsLeft() {
  Streams lower;
  RunningKernel& high = lower.runs(1, 5, 4);
  high.blocks = 8;
  lower.runs(2, 0, 3);
  std::vector<Decision> decisions = lower.decide();
  CHECK((lower.policy.shown == std::vector<uint64_t>{1, 2}));
  CHECK(!about(decisions, 1));
  CHECK(!about(decisions, 2)); // the larger one gives
  CHECK_EQUAL(about(decisions, 9)->blocksPerSm, 3u);
  CHECK_EQUAL(about(decisions, 9)->blocksPerSmAfter, 8u);
  CHECK_EQUAL(about(decisions, 9)->reason, std::string("steps back for a higher priority"));
  lower.policy.wish = 2;
  decisions = lower.decide();
  CHECK_EQUAL(about(decisions, 9)->blocksPerSm, 2u);
  CHECK_EQUAL(about(decisions, 9)->blocksPerSmAfter, 2u);
  CHECK_EQUAL(about(decisions, 9)->reason, std::string());
  lower.policy.wish = 0; // natively
  CHECK_EQUAL(about(lower.decide(), 9)->blocksPerSm, 3u);
}

/// A stream's priority is nothing to other processes, nor does theirs count here.
static void streamsAreOfOneProcess() {
  Streams urgent(5);
  urgent.waitsWide(4);
  RunningKernel& foreign = urgent.runs(1, 0, 8);
  foreign.stream |= uint64_t(1) << kProcessShift;
  foreign.streamPriority = 9;
  CHECK_EQUAL(about(urgent.decide(), 1)->blocksPerSm, 3u);
  urgent.runs(2, 0, 8);
  std::vector<Decision> decisions = urgent.decide();
  CHECK_EQUAL(about(decisions, 1)->blocksPerSm, 3u); // by the policy
  CHECK_EQUAL(about(decisions, 2)->blocksPerSm, 6u);
  CHECK_EQUAL(about(decisions, 9)->blocksPerSm, 0u);
  urgent.state.running.front().priority = kHighPriority;
  decisions = urgent.decide();
  CHECK(!about(decisions, 1));
  CHECK_EQUAL(about(decisions, 2)->blocksPerSm, 1u);
  CHECK_EQUAL(about(decisions, 9)->blocksPerSm, 1u);
}

static void whatMayHaveToStepBackHasABudget() {
  Streams lower;
  lower.policy.wish = 0;
  CHECK_EQUAL(about(lower.decide(), 9)->blocksPerSm, 0u);
  lower.state.waiting.back().keepsBudget = true;
  CHECK_EQUAL(about(lower.decide(), 9)->blocksPerSm, 8u);
  CHECK(!about(lower.decide(), 9)->urgent);
}

int main() {
  aSmallGridTakesLittleRoom();
  everyResourceIsCounted();
  whatFitsStays();
  roomIsForAllStreams();
  roomIsMadeFromAbove();
  aNewcomerTakesTheRoomThatIsLeft();
  streamsAreOfOneProcess();
  whatMayHaveToStepBackHasABudget();
  equalsAreThePolicysBusiness();
  lowerOnesStepBackForANewcomer();
  aLowerNewcomerStartsSmall();
  lowPriorityAlwaysHasABudget();
  return checkResult();
}
