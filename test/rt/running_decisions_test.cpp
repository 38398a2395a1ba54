// running_decisions_test - what a policy decides about kernels that already run: budget, pause.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scripted policy starts every kernel with 3 blocks per SM and, at the second launch, makes
// its decision about the first.
#include "test/Check.h"
#include "test/rt/FakeProgram.h"

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

class Scripted final : public Policy {
public:
  explicit Scripted(Decision aboutFirst) : aboutFirst_(std::move(aboutFirst)) {}
  const char* name() const override { return "scripted"; }
  std::vector<Decision> decide(const PolicyState& state) const override {
    Decision start;
    start.sequence = state.waiting.front().sequence;
    start.blocksPerSm = 3;
    std::vector<Decision> decisions = {start};
    if (start.sequence == 2)
      decisions.push_back(aboutFirst_);
    return decisions;
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }

private:
  Decision aboutFirst_;
};

static Decision about(uint64_t sequence, Action action, uint32_t blocksPerSm = 0) {
  Decision decision;
  decision.sequence = sequence;
  decision.action = action;
  decision.blocksPerSm = blocksPerSm;
  return decision;
}

static uint32_t mostWorkers() {
  uint32_t most = 0;
  for (const auto& [sm, workers] : fake().mostWorkersOnSm)
    most = std::max(most, workers);
  return most;
}

/// The first launch has not reached the device yet when its budget is rewritten.
static uint32_t workersAfterSetBudget(uint32_t blocksPerSm) {
  fake().forget();
  Runtime runtime(Settings{}, std::make_unique<Scripted>(about(1, Action::SetBudget, blocksPerSm)));
  ProgramKernel first("first"), second("second", 1);
  first.node.parameterBytes = nullptr; // so that the end of the second raises nothing
  void* stream = fake().makeStream();
  launch(runtime, first, stream);
  launch(runtime, second, fake().makeStream());
  fake().drain();
  CHECK(first.everyBlockRan(1) && second.everyBlockRan(1));
  return mostWorkers();
}

static void budgetsAreRewritten() {
  CHECK_EQUAL(workersAfterSetBudget(1), 1u);
  CHECK_EQUAL(workersAfterSetBudget(3), 3u);
  CHECK_EQUAL(workersAfterSetBudget(4), 4u);
  CHECK_EQUAL(workersAfterSetBudget(9), 4u); // as many as fit
}

static void loweredWhileItRuns() {
  fake().forget();
  Runtime runtime(Settings{}, std::make_unique<Scripted>(about(1, Action::SetBudget, 1)));
  ProgramKernel first("first"), second("second", 1);
  first.node.parameterBytes = nullptr; // so that the end of the second raises nothing
  void* stream = fake().makeStream();
  launch(runtime, first, stream);
  steps(10);
  CHECK_EQUAL(fake().workersLeft, 0u);
  launch(runtime, second, fake().makeStream());
  steps(30);
  CHECK(!first.everyBlockRan(1));
  CHECK_EQUAL(fake().workersLeft, 9u); // two on each of four SMs, and the second's only one
  fake().drain();
  CHECK(first.everyBlockRan(1) && second.everyBlockRan(1));
  CHECK_EQUAL(fake().lastError, 0);
}

/// Lets the second launch preempt the first, and keeps what it sees of it.
class Preempting final : public Policy {
public:
  explicit Preempting(std::vector<RunningKernel>& seen) : seen_(seen) {}
  const char* name() const override { return "preempting"; }
  std::vector<Decision> decide(const PolicyState& state) const override {
    seen_.push_back(state.running.empty() ? RunningKernel() : state.running.front());
    Decision start;
    start.sequence = state.waiting.front().sequence;
    start.set = 7;
    start.blocksPerSm = 3;
    std::vector<Decision> decisions = {start};
    if (start.sequence == 2) {
      decisions.push_back(about(1, Action::SetBudget, 1));
      decisions.back().preempts = true;
    }
    return decisions;
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }

private:
  std::vector<RunningKernel>& seen_;
};

/// Nothing is launched between the end of the others and the raise.
static void preemptedUntilItIsRaised() {
  fake().forget();
  std::vector<RunningKernel> seen;
  Runtime runtime(Settings{}, std::make_unique<Preempting>(seen));
  ProgramKernel first("first", 3000), second("second", 40);
  launch(runtime, first, fake().makeStream());
  steps(20);
  launch(runtime, second, fake().makeStream());
  launch(runtime, second, fake().makeStream());
  steps(20);
  CHECK_EQUAL(fake().workersOf(&first.twin), 4u); // one on each SM
  while (!second.everyBlockRan(2))
    fake().step();
  steps(60);
  CHECK(!first.everyBlockRan(1));
  CHECK_EQUAL(fake().workersOf(&first.twin), 12u);
  launch(runtime, second, fake().makeStream());
  CHECK_EQUAL(seen[1].set, 7u);
  CHECK(!seen[1].preempted);
  CHECK(seen[2].preempted && seen[2].blocksPerSm == 1);
  CHECK(!seen[3].preempted && seen[3].blocksPerSm == 3);
  fake().drain();
  CHECK(first.everyBlockRan(1) && second.everyBlockRan(3));
}

static void pausedByThePolicyThenResumed() {
  fake().forget();
  Settings settings;
  settings.spareLaunches = 1;
  Runtime runtime(settings, std::make_unique<Scripted>(about(1, Action::Pause)));
  ProgramKernel first("first"), second("second", 1);
  launch(runtime, first, fake().makeStream());
  steps(10);
  launch(runtime, second, fake().makeStream());
  fake().drain();
  CHECK(second.everyBlockRan(1));
  CHECK(!first.everyBlockRan(1));
  runtime.resumeAll();
  fake().drain();
  CHECK(first.everyBlockRan(1));
}

int main() {
  budgetsAreRewritten();
  loweredWhileItRuns();
  preemptedUntilItIsRaised();
  pausedByThePolicyThenResumed();
  return checkResult();
}
