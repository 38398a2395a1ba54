// native_pairs_test - when two kernels run natively beside each other, and how they are launched.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the fake device kernels beside each other keep their speed, a ratio of 2; with `contend` they
// make half of what one after the other would.
#include "rt/policy/NativePairs.h"
#include "rt/schema/TextFile.h"
#include "test/Check.h"
#include "test/rt/FakeProgram.h"

#include <cstdio>

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static PairRecord record(PairOutcome budgeted, PairOutcome native = {}, bool held = false) {
  return {"a", "b", budgeted, native, held, 0};
}

static void whatIsPreferred() {
  constexpr uint32_t kEnough = PairHistory::kTrials;
  CHECK(!prefersNative(record({})));
  CHECK(!prefersNative(record({0.5, kEnough - 1})));
  CHECK(prefersNative(record({1.19, kEnough})));
  CHECK(!prefersNative(record({1.21, kEnough})));
  CHECK(prefersNative(record({1.1, kEnough}, {0.5, kEnough - 1})));
  CHECK(prefersNative(record({1.1, kEnough}, {1.13, kEnough})));
  CHECK(!prefersNative(record({1.1, kEnough}, {1.11, kEnough})));
  CHECK(prefersNative(record({1.21, kEnough}, {1.3, kEnough})));
  // One after the other is what there is otherwise.
  for (const PairOutcome& budgeted : {PairOutcome{}, PairOutcome{0.9, kEnough}}) {
    CHECK(prefersNative(record(budgeted, {}, true)));
    CHECK(prefersNative(record(budgeted, {1.03, kEnough}, true)));
    CHECK(!prefersNative(record(budgeted, {1.01, kEnough}, true)));
  }
  // Held once, but since then the policy has put them together.
  CHECK(!prefersNative(record({1.3, kEnough}, {}, true)));
}

/// Kernel "b", bound by memory, waits for "a", bound by computing, which runs with two blocks an
/// SM.
struct Meeting {
  PolicyKernel a, b;
  PolicyState state;
  PairHistory history;

  Meeting() {
    a.name = "a", a.kernelClass = KernelClass::Compute;
    b.name = "b", b.kernelClass = KernelClass::Memory;
    for (PolicyKernel* kernel : {&a, &b})
      kernel->profiled = kernel->hasPersistent = true;
    state.explain = true;
    state.waiting = {{7, 2, &b}};
    aRuns(2);
  }
  void aRuns(uint32_t blocksPerSm) { state.running = {{1, 3, 1, 1, blocksPerSm, &a}}; }
  void nothingRuns() { state.running.clear(); }

  /// What becomes of "wait for a", or of "start with two blocks an SM".
  std::vector<Decision> decide(Action action) {
    Decision decision;
    decision.action = action;
    decision.sequence = decision.set = 7;
    decision.blocksPerSm = 2, decision.blocksPerSmAlone = 4;
    decision.sms = {0};
    if (action == Action::Wait)
      for (const RunningKernel& running : state.running)
        decision.after.push_back(running.lastSequence);
    Decision room;
    room.action = Action::SetBudget, room.sequence = 3, room.blocksPerSm = 1;
    std::vector<Decision> decisions = {decision, room};
    pairNatively(state, history, decisions);
    return decisions;
  }
  bool native(Action action) {
    const std::vector<Decision> decisions = decide(action);
    const Decision& own = decisions.at(0);
    const bool made = own.blocksPerSm == 0;
    CHECK_EQUAL(decisions.size(), made ? 1u : 2u); // nobody makes room for it
    CHECK(made ? own.action == Action::Start && own.after.empty() && own.sms.empty() &&
                     own.blocksPerSmAlone == 0
               : own.action == action && own.blocksPerSmAlone == 4 && own.sms.size() == 1);
    return made;
  }
};

static void heldPairsGoNativelyFromTheNextLaunch() {
  Meeting meeting;
  CHECK(!meeting.native(Action::Wait)); // a's workers fill the device
  CHECK(meeting.history.find("a", "b")->held);
  meeting.nothingRuns();
  CHECK(meeting.native(Action::Start));
  meeting.aRuns(0);
  CHECK(meeting.native(Action::Wait));
  CHECK(meeting.native(Action::Start));
  const Decision decision = meeting.decide(Action::Wait).at(0);
  CHECK(decision.urgent);
  CHECK_EQUAL(decision.reason, "natively beside 'a'");
  meeting.b.kernelClass = KernelClass::L1;
  CHECK(meeting.decide(Action::Wait).at(0).urgent);
  meeting.b.kernelClass = KernelClass::Compute;
  CHECK(!meeting.decide(Action::Wait).at(0).urgent);
}

/// It was no twin: perhaps budgets would have done.
static void waitingForANativeKernelIsNotHeld() {
  Meeting meeting;
  meeting.aRuns(0);
  CHECK(!meeting.native(Action::Wait));
  CHECK(!meeting.history.find("a", "b"));
  for (bool PolicyKernel::* what : {&PolicyKernel::hasPersistent}) {
    meeting.a.*what = false;
    CHECK(meeting.native(Action::Wait)); // budgets are out of the question
    CHECK(meeting.history.find("a", "b")->held);
  }
}

static void budgetsGoFirst() {
  Meeting meeting;
  meeting.aRuns(0);
  for (uint32_t trial = 0; trial < PairHistory::kTrials; ++trial) {
    CHECK(!meeting.native(Action::Start));
    meeting.history.add("a", "b", PairForm::Budgeted, 1.1);
  }
  CHECK(meeting.native(Action::Start));
  meeting.history.add("a", "b", PairForm::Native, 1.11, PairHistory::kTrials);
  CHECK(!meeting.native(Action::Start));
}

static void withoutProfilesNothingChanges() {
  for (bool own : {false, true}) {
    Meeting meeting;
    meeting.aRuns(0);
    meeting.history.held("a", "b");
    CHECK(meeting.native(Action::Wait));
    (own ? meeting.b : meeting.a).profiled = false;
    CHECK(!meeting.native(Action::Wait));
    meeting.nothingRuns();
    CHECK_EQUAL(meeting.native(Action::Start), !own);
  }
}

static void allThatRunHaveToAgree() {
  Meeting meeting;
  PolicyKernel c = meeting.a;
  c.name = "c";
  meeting.state.running = {{1, 3, 1, 1, 0, &meeting.a}, {4, 4, 3, 1, 0, &c}};
  meeting.history.held("b", "a");
  CHECK(!meeting.native(Action::Start));
  meeting.history.held("b", "c");
  CHECK(meeting.native(Action::Start));
  meeting.state.running[0].blocksPerSm = 2;
  CHECK(!meeting.native(Action::Start));
  meeting.state.running[0].stream = 2; // its own stream
  CHECK(meeting.native(Action::Start));
}

/// Each launch meets one of them; what it waits for is no pair's business then.
static void severalAreMetByTurns() {
  Meeting meeting;
  PolicyKernel c = meeting.a;
  c.name = "c";
  const RunningKernel a = {1, 3, 1, 1, 2, &meeting.a}, own = {2, 2, 2, 1, 2, &meeting.b};
  meeting.state.running = {a, own, {4, 4, 3, 1, 2, &c}};
  CHECK(!meeting.native(Action::Wait));
  CHECK_EQUAL(*meeting.history.latest(meeting.b), "c");
  meeting.state.running = {a, own, {4, 4, 3, 1, 2, &c}, {5, 5, 4, 1, 2, &meeting.a}};
  CHECK(!meeting.native(Action::Wait));
  CHECK_EQUAL(*meeting.history.latest(meeting.b), "c");
  meeting.state.running[2].kernel = &meeting.a;
  meeting.state.running[3].kernel = &c;
  CHECK(!meeting.native(Action::Wait));
  CHECK_EQUAL(*meeting.history.latest(meeting.b), "a");
  CHECK(meeting.history.file().pairs.empty());
  // Two launches of one kernel are no third party.
  meeting.state.running[3].kernel = &meeting.a;
  CHECK(!meeting.native(Action::Start)); // it does not wait
  CHECK(meeting.history.file().pairs.empty());
  CHECK(!meeting.native(Action::Wait));
  CHECK(meeting.history.find("a", "b"));
}

static void aQueueStaysOneEntry() {
  Meeting meeting;
  meeting.history.held("a", "b");
  meeting.nothingRuns();
  CHECK_EQUAL(meeting.decide(Action::Start).at(0).set, 7u);
  meeting.state.running = {{1, 6, 2, 1, 0, &meeting.b}};
  CHECK_EQUAL(meeting.decide(Action::Start).at(0).set, 1u);
  meeting.state.running = {{1, 6, 2, 1, 2, &meeting.b}}; // a twin's
  CHECK_EQUAL(meeting.decide(Action::Start).at(0).set, 7u);
  meeting.state.running = {{1, 6, 2, 1, 0, &meeting.a}};
  CHECK_EQUAL(meeting.decide(Action::Start).at(0).set, 7u);
}

/// Alone it is launched as suits whom it met last; of whom it met in an earlier run all count.
static void theLastMeetingCounts() {
  PairHistoryFile file;
  file.pairs = {record({}, {}, true), record({1.5, PairHistory::kTrials}), record({}, {}, true)};
  file.pairs[1].first = "b", file.pairs[1].second = "c";
  file.pairs[2].first = "b", file.pairs[2].second = "d";
  Meeting meeting;
  meeting.history = PairHistory(file);
  PolicyKernel c = meeting.a;
  c.name = "c";
  const auto aloneAfter = [&](PolicyKernel* met) {
    if (met) {
      meeting.state.running = {{1, 3, 1, 1, 2, met}};
      (void)meeting.decide(Action::Start);
    }
    meeting.nothingRuns();
    return meeting.native(Action::Start);
  };
  CHECK(!aloneAfter(nullptr));
  CHECK(aloneAfter(&meeting.a));
  CHECK(!aloneAfter(&c));
  c.name = "never measured";
  CHECK(!aloneAfter(&c));
}

static void badNativePairsAreTriedAgain() {
  Meeting meeting;
  (void)meeting.decide(Action::Wait);
  meeting.history.add("a", "b", PairForm::Native, 0.9, PairHistory::kTrials);
  for (uint32_t launches = 1; launches < PairHistory::kPatience; ++launches)
    CHECK(!meeting.native(Action::Wait));
  meeting.aRuns(0);
  CHECK(meeting.native(Action::Wait));
}

static const char* const kProfiles = "native_pairs_test.profile.json";
static const char* const kPairs = "native_pairs_test.pairs.json";

/// Every kernel with two blocks an SM: alone, or all in one set.
class TwoBlocks : public Policy {
public:
  explicit TwoBlocks(bool together, bool preempts = false)
      : together_(together), preempts_(preempts) {}
  const char* name() const override { return "budgets"; }
  bool wantsProfiles() const override { return true; }
  bool preempts() const override { return preempts_; }
  std::vector<Decision> decide(const PolicyState& state) const override {
    Decision decision;
    decision.sequence = decision.set = state.waiting.front().sequence;
    decision.blocksPerSm = 2;
    if (together_)
      decision.set = 1;
    for (const RunningKernel& running : state.running)
      if (!together_ && running.stream != state.waiting.front().stream)
        decision.after.push_back(running.lastSequence);
    decision.action = decision.after.empty() ? Action::Start : Action::Wait;
    return {decision};
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }

private:
  bool together_, preempts_;
};

static void writeProfiles() {
  ProfileFile file;
  for (const char* name : {"a", "b"}) {
    KernelProfile& kernel = file.kernels.emplace_back();
    kernel.fixed.kernel = name;
    DynamicProfile& dynamic = kernel.dynamic.emplace();
    dynamic.kernelClass = name[0] == 'b' ? KernelClass::Memory : KernelClass::Compute;
    dynamic.threadsPerBlock = 128;
  }
  CHECK(writeProfile(kProfiles, file).ok());
}

static Settings measuring() {
  Settings settings;
  settings.profilePath = kProfiles;
  settings.pairsPath = kPairs;
  return settings;
}

struct Program {
  explicit Program(const Settings& settings = measuring(), bool preempts = false)
      : Program(settings, std::make_unique<TwoBlocks>(false, preempts)) {}
  Program(const Settings& settings, std::unique_ptr<Policy> policy)
      : runtime(settings, std::move(policy)) {
    fake().forget();
  }
  ~Program() { std::remove(kPairs); }

  /// b in the middle of a; were they there at once?
  bool together() {
    fake().forget();
    launch(runtime, a, first);
    for (int step = 0; step < 20; ++step)
      fake().step();
    launch(runtime, b, second);
    fake().drain();
    CHECK(a.everyBlockRan(++rounds) && b.everyBlockRan(rounds));
    CHECK_EQUAL(fake().lastError, 0);
    return fake().together.count({"a", "b"}) != 0;
  }
  void alone() {
    for (uint32_t round = 0; round <= Trials::kAlone; ++round) {
      launch(runtime, a, first);
      fake().drain();
      launch(runtime, b, second);
      fake().drain();
      ++rounds;
    }
  }
  static int priorityOf(const char* kernel) {
    for (const FakeCudart::Launched& launched : fake().launched)
      if (launched.kernel->name == std::string(kernel))
        return launched.priority;
    return 1;
  }

  Runtime runtime;
  ProgramKernel a{"a", 400}, b{"b", 200};
  void *first = fake().makeStream(), *second = fake().makeStream();
  unsigned rounds = 0;
};

static void apartOnceThenTogether() {
  Program program;
  program.alone();
  CHECK(!program.together());
  for (uint32_t round = 0; round < 2 * PairHistory::kTrials; ++round) {
    CHECK(program.together());
    CHECK_EQUAL(fake().persistentLaunches, 0u);
    CHECK_EQUAL(Program::priorityOf("a"), 0);
    CHECK_EQUAL(Program::priorityOf("b"), -5);
  }
  // What is known of the form at hand is measured now and then only.
  for (uint32_t round = 0; round < Trials::kEager; ++round)
    CHECK(program.together());
  CHECK_EQUAL(fake().records, 2u); // of the ends
  program.runtime.finish();
  Result<PairHistoryFile> file = readPairHistory(kPairs);
  CHECK(file.ok() && file->pairs.size() == 1);
  if (file && !file->pairs.empty()) {
    const PairRecord& pair = file->pairs[0];
    CHECK(pair.held && pair.budgeted.trials == 0);
    CHECK(pair.native.trials >= PairHistory::kTrials);
    CHECK(pair.native.ratio > 1.7 && pair.native.ratio < 2.1);
  }
}

static void whatLosesIsApartAgain() {
  Program program;
  program.alone();
  CHECK(!program.together());
  fake().contend = true;
  for (uint32_t round = 0; round < PairHistory::kTrials; ++round)
    CHECK(program.together());
  CHECK(!program.together());
  CHECK(!program.together());
  CHECK(fake().persistentLaunches > 0);
  fake().contend = false;
}

/// Four launches of a and eight of b in two streams, all enqueued before the first one begins.
static double msOfQueues(Program& program) {
  fake().forget();
  const uint64_t before = fake().steps;
  for (int i = 0; i < 4; ++i)
    launch(program.runtime, program.a, program.first);
  for (int i = 0; i < 8; ++i)
    launch(program.runtime, program.b, program.second);
  fake().drain();
  CHECK_EQUAL(fake().lastError, 0);
  return double(fake().steps - before);
}

/// Twins stand in each other's way here, native kernels do not: tried with budgets, then natively,
/// and it stays so.
static void queuesFindTheirWay() {
  fake().twinsContend = true;
  Program program(measuring(), std::make_unique<TwoBlocks>(true));
  program.alone();
  const double serial = 4 * 400 + 8 * 200;
  CHECK(msOfQueues(program) > 1.5 * serial);
  int rounds = 1;
  for (; rounds < 10 && fake().persistentLaunches > 0; ++rounds)
    (void)msOfQueues(program);
  CHECK(rounds < 6);
  for (int round = 0; round < 5; ++round) {
    CHECK(msOfQueues(program) < 0.6 * serial);
    CHECK_EQUAL(fake().persistentLaunches, 0u);
  }
  fake().twinsContend = false;
}

static void whereItIsNotWanted() {
  Settings never = measuring(), pausable = measuring();
  never.nativePairs = false;
  pausable.spareLaunches = 1;
  for (const Settings& settings : {never, pausable}) {
    Program program(settings);
    for (int round = 0; round < 3; ++round)
      CHECK(!program.together());
  }
  Program preempting(measuring(), true);
  for (int round = 0; round < 3; ++round)
    CHECK(!preempting.together());
}

static void prioritiesThatCannotBe() {
  const auto priority = [] {
    Program program;
    fake().streamPriorities.erase(program.second);
    CHECK(!program.together());
    CHECK(program.together());
    return Program::priorityOf("b");
  };
  CHECK_EQUAL(priority(), -5);
  for (const char* refused : {"launchKernelExC", "streamGetPriority"}) {
    fake().fail = {refused};
    CHECK_EQUAL(priority(), 0);
  }
  fake().fail.clear();
  fake().highestPriority = 0;
  CHECK_EQUAL(priority(), 0);
  fake().highestPriority = -5;
}

/// The program has said itself what goes first, so nothing of it waits for the other one.
static void streamsWithAPriorityKeepIt() {
  Program program;
  fake().streamPriorities[program.second] = -1;
  CHECK(program.together());
  CHECK_EQUAL(Program::priorityOf("b"), -1);
}

/// Where the program has a stream of higher priority, the two may have to step back for it.
static void keepTheirBudgetsWhereTheyMayHaveToStepBack() {
  Program program;
  ProgramKernel urgent("urgent");
  void* const stream = fake().makeStream();
  fake().streamPriorities[stream] = -5;
  launch(program.runtime, urgent, stream);
  fake().drain();
  for (int round = 0; round < 3; ++round)
    CHECK(!program.together());
}

int main() {
  whatIsPreferred();
  heldPairsGoNativelyFromTheNextLaunch();
  waitingForANativeKernelIsNotHeld();
  budgetsGoFirst();
  withoutProfilesNothingChanges();
  allThatRunHaveToAgree();
  severalAreMetByTurns();
  aQueueStaysOneEntry();
  theLastMeetingCounts();
  badNativePairsAreTriedAgain();
  writeProfiles();
  apartOnceThenTogether();
  whatLosesIsApartAgain();
  queuesFindTheirWay();
  whereItIsNotWanted();
  prioritiesThatCannotBe();
  streamsWithAPriorityKeepIt();
  keepTheirBudgetsWhereTheyMayHaveToStepBack();
  std::remove(kProfiles);
  return checkResult();
}
