// announced_test - what others make of a launch that waits for room in its queue.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stream has two launches of "queue" under way, which makes it deep; "late" is decided and waits
// to be enqueued behind them.
#include "test/Check.h"
#include "test/rt/BlockedLaunch.h"
#include "test/rt/FakeProgram.h"
#include "test/rt/OtherThread.h"
#include "test/rt/PairedProgram.h"
#include "test/rt/TestPolicies.h"

#include <cstdio>

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static Settings deep() {
  Settings settings;
  settings.deepQueue = 2;
  return settings;
}

struct Program {
  explicit Program(std::unique_ptr<Policy> policy, const Settings& settings = deep())
      : runtime(settings, std::move(policy)) {
    fake().forget();
  }
  void fill() {
    for (int i = 0; i < 2; ++i)
      launch(runtime, queue, stream);
  }
  /// Nothing of all this was beside anything else.
  bool ranInTurn() const { return fake().together.empty(); }

  Runtime runtime;
  ProgramKernel queue{"queue"}, late{"late", 400}, other{"other", 2000}, third{"third"};
  void* stream = fake().makeStream();
};

static uint32_t workersNow(const ProgramKernel& kernel) {
  return fake().workersOf(&kernel.twin);
}

/// Shares, and keeps what it saw at the last decision.
class Looking final : public Sharing {
public:
  std::vector<Decision> decide(const PolicyState& state) const override {
    running = state.running;
    return Sharing::decide(state);
  }
  static const RunningKernel* find(const char* name) {
    for (const RunningKernel& each : running)
      if (each.kernel->name == name)
        return &each;
    return nullptr;
  }
  static inline std::vector<RunningKernel> running;
};

/// Only `name` waits.
class OneWaits final : public Together {
public:
  explicit OneWaits(const char* name) : name_(name) {}
  std::vector<Decision> decide(const PolicyState& state) const override {
    return state.waiting.front().kernel->name == name_ ? Waiting(2).decide(state)
                                                       : Together::decide(state);
  }

private:
  const std::string name_;
};

static void othersWaitForIt(BlockedLaunch::At where) {
  Program program(std::make_unique<Waiting>());
  program.fill();
  std::unique_ptr<OtherThread> second, third;
  {
    const BlockedLaunch blocked(program.runtime, program.late, program.stream, where);
    second = std::make_unique<OtherThread>(program.runtime, program.other, fake().makeStream());
    CHECK(second->waits());
    third = std::make_unique<OtherThread>(program.runtime, program.third, fake().makeStream());
    CHECK(third->waits() && second->waits());
  }
  second.reset(), third.reset();
  fake().drain();
  CHECK(program.ranInTurn());
  CHECK(program.late.everyBlockRan(1) && program.other.everyBlockRan(1) &&
        program.third.everyBlockRan(1));
}

/// What cannot be announced waits all the same.
static void alsoWithoutEventsOfTheirOwn() {
  static gpusched_cudart without = *fake().table();
  without.eventCreateWithFlags = [](void**, unsigned) { return 999; };
  Program program(std::make_unique<Waiting>());
  program.fill();
  std::unique_ptr<OtherThread> second;
  {
    const BlockedLaunch blocked(program.runtime, program.late, program.stream);
    second = std::make_unique<OtherThread>(
        [&] { launch(program.runtime, program.other, fake().makeStream(), 128, false, &without); });
    CHECK(second->waits());
  }
  second.reset();
  fake().drain();
  CHECK(program.ranInTurn() && program.other.everyBlockRan(1));
}

/// A queue may have no room before the other thread goes on. Who comes later waits for both.
static void patienceEnds() {
  Settings settings = deep();
  settings.patience = std::chrono::milliseconds(30);
  Program program(std::make_unique<Waiting>(), settings);
  void *const second = fake().makeStream(), *const third = fake().makeStream();
  uint64_t made = 0;
  for (unsigned round = 1; round <= 8; ++round) {
    program.fill();
    {
      const BlockedLaunch blocked(program.runtime, program.late, program.stream);
      launch(program.runtime, program.third, second);
    }
    launch(program.runtime, program.other, third);
    fake().drain();
    CHECK(program.late.everyBlockRan(round) && program.third.everyBlockRan(round) &&
          program.other.everyBlockRan(round));
    made = round == 4 ? fake().eventsMade : made;
  }
  CHECK(!program.ranInTurn());
  for (const std::set<std::string>& kernels : fake().together)
    CHECK(kernels.count("other") == 0);
  CHECK_EQUAL(fake().eventsMade, made);
}

static void awaitedEndsAreUsedAgain() {
  Program program(std::make_unique<Waiting>());
  void* const second = fake().makeStream();
  uint64_t made = 0;
  for (int round = 0; round < 8; ++round) {
    launch(program.runtime, program.queue, program.stream);
    launch(program.runtime, program.third, second);
    fake().drain();
    made = round == 3 ? fake().eventsMade : made;
  }
  CHECK(fake().waits >= 8);
  CHECK_EQUAL(fake().eventsMade, made);
}

static void othersSeeItAtOnce() {
  Program program(std::make_unique<Looking>());
  program.fill();
  {
    const BlockedLaunch blocked(program.runtime, program.late, program.stream);
    launch(program.runtime, program.other, fake().makeStream());
    CHECK_EQUAL(Looking::running.size(), 2u);
    const RunningKernel* const late = Looking::find("late");
    CHECK(late && late->blocksPerSm == 2);
  }
  while (blocksRun(program.late) == 0)
    steps(1);
  steps(10);
  CHECK_EQUAL(workersNow(program.late), 4u); // it was one of two when it was decided
  CHECK_EQUAL(workersNow(program.other), 4u);
  fake().drain();
  CHECK(program.late.everyBlockRan(1) && program.other.everyBlockRan(1));
}

/// It has begun, and most of its workers have left by then.
static void itsRaiseIsMadeUpFor() {
  Program program(std::make_unique<Told>());
  Told::budget = 1;
  program.fill();
  {
    const BlockedLaunch blocked(program.runtime, program.late, program.stream,
                                BlockedLaunch::At::Event);
    while (blocksRun(program.late) < 40)
      steps(1);
    CHECK_EQUAL(workersNow(program.late), 4u);
    Told::budget = 4;
    launch(program.runtime, program.other, fake().makeStream());
    steps(10);
    CHECK_EQUAL(workersNow(program.late), 4u);
  }
  steps(10);
  CHECK_EQUAL(workersNow(program.late), 16u);
  fake().drain();
  CHECK(program.late.everyBlockRan(1) && program.other.everyBlockRan(1));
}

static void raisesWaitForItsEnd() {
  Program program(std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 6000);
  launch(program.runtime, lasting, fake().makeStream());
  program.fill();
  {
    const BlockedLaunch blocked(program.runtime, program.late, program.stream);
    launch(program.runtime, program.third, fake().makeStream());
  }
  while (blocksRun(program.late) < 300)
    steps(1);
  CHECK(program.third.everyBlockRan(1));
  CHECK_EQUAL(workersNow(lasting), 4u);
  while (!program.late.everyBlockRan(1))
    steps(1);
  steps(60);
  CHECK(blocksRun(lasting) < 6000);
  CHECK_EQUAL(workersNow(lasting), 16u);
  fake().drain();
  CHECK(lasting.everyBlockRan(1));
}

/// All others end while it waits to be enqueued; `third` came before it or after.
static void raisesAreDroppedFor(bool lateIsFirst) {
  Program program(std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 6000);
  launch(program.runtime, lasting, fake().makeStream());
  program.fill();
  if (!lateIsFirst)
    launch(program.runtime, program.third, fake().makeStream());
  {
    const BlockedLaunch blocked(program.runtime, program.late, program.stream);
    if (lateIsFirst)
      launch(program.runtime, program.third, fake().makeStream());
    while (!program.third.everyBlockRan(1) || !program.queue.everyBlockRan(2))
      steps(1);
    steps(60);
    CHECK_EQUAL(workersNow(lasting), 4u);
  }
  fake().drain();
  CHECK(lasting.everyBlockRan(1) && program.late.everyBlockRan(1));
}

/// As it is the same kernel's as before, the raise would be good enough, were it still there.
static void aDroppedRaiseIsPlannedAnew() {
  Program program(std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 20000);
  launch(program.runtime, lasting, fake().makeStream());
  for (unsigned i = 0; i < 8; ++i)
    program.fill();
  {
    const BlockedLaunch blocked(program.runtime, program.queue, program.stream);
    launch(program.runtime, program.third, fake().makeStream());
  }
  while (!program.third.everyBlockRan(1) || !program.queue.everyBlockRan(17))
    steps(1);
  steps(60);
  CHECK(blocksRun(lasting) < 20000);
  CHECK_EQUAL(workersNow(lasting), 16u);
  fake().drain();
  CHECK(lasting.everyBlockRan(1));
}

static void itsOwnRaiseIsPlanned() {
  Program program(std::make_unique<Sharing>());
  ProgramKernel guest("guest", 600), lasting("lasting", 3000);
  program.fill();
  launch(program.runtime, guest, fake().makeStream());
  {
    const BlockedLaunch blocked(program.runtime, lasting, program.stream);
  }
  while (blocksRun(lasting) == 0)
    steps(1);
  CHECK(!guest.everyBlockRan(1));
  while (!guest.everyBlockRan(1))
    steps(1);
  steps(60);
  CHECK(blocksRun(lasting) < 3000);
  CHECK_EQUAL(workersNow(lasting), 16u);
  fake().drain();
  CHECK(lasting.everyBlockRan(1));
}

static void itCanBePausedAfterwards() {
  Settings settings = deep();
  settings.spareLaunches = 1;
  Program program(std::make_unique<Sharing>(), settings);
  program.fill();
  {
    const BlockedLaunch blocked(program.runtime, program.late, program.stream);
    CHECK_EQUAL(program.runtime.pauseAll(), 2u);
    program.runtime.resumeAll();
  }
  while (blocksRun(program.late) == 0)
    steps(1);
  CHECK_EQUAL(program.runtime.pauseAll(), 1u);
  steps(20);
  CHECK_EQUAL(workersNow(program.late), 0u);
  program.runtime.resumeAll();
  fake().drain();
  CHECK(program.queue.everyBlockRan(2) && program.late.everyBlockRan(1));
}

static void oneForTwoWaitsInBothStreams() {
  Settings settings = deep();
  settings.fusing = Fusing::Always;
  Program program(std::make_unique<OneWaits>("pair<a, b>"), settings);
  PairedProgram two;
  program.fill();
  const uint64_t records = fake().records;
  std::unique_ptr<OtherThread> pair, successor;
  {
    const BlockedLaunch blocked(program.runtime, program.late, program.stream);
    pair = std::make_unique<OtherThread>([&] { together(program.runtime, two, two.s1, two.s2); });
    CHECK(pair->waits());
    successor =
        std::make_unique<OtherThread>([&] { Call(two, two.other, two.s2)(program.runtime); });
    CHECK(successor->waits());
  }
  pair.reset(), successor.reset();
  // Ends of three, and of what is in front of the second; that of the pair is for both its streams.
  CHECK_EQUAL(fake().records, records + 4);
  fake().drain();
  CHECK(program.ranInTurn());
  CHECK(two.ran(1) && two.other.everyBlockRan(1) && program.late.everyBlockRan(1));
}

/// The two streams take nothing else while one of them is somebody's.
static void oneForTwoWaitsForBothStreams() {
  Settings settings = deep();
  settings.fusing = Fusing::Always;
  Program program(std::make_unique<Together>(), settings);
  PairedProgram two;
  program.fill();
  std::unique_ptr<OtherThread> pair;
  {
    const BlockedLaunch blocked(program.runtime, program.late, program.stream);
    pair = std::make_unique<OtherThread>(
        [&] { together(program.runtime, two, two.s1, program.stream); });
    CHECK(pair->waits());
  }
  pair.reset();
  fake().drain();
  CHECK(two.ran(1) && program.late.everyBlockRan(1));
}

/// From when it can begin.
static void whoWaitsForItIsTimed() {
  Settings settings = deep();
  settings.pairsPath = "announced_test.pairs.json";
  Program program(std::make_unique<OneWaits>("third"), settings);
  for (uint32_t i = 0; i < Trials::kEager + 2; ++i) {
    launch(program.runtime, program.queue, program.stream);
    fake().drain();
  }
  program.fill();
  ProgramKernel first("first");
  std::unique_ptr<OtherThread> third;
  uint64_t records = 0;
  {
    const BlockedLaunch blocked(program.runtime, program.queue, program.stream);
    launch(program.runtime, first, fake().makeStream()); // begins a phase, and ends in it
    third = std::make_unique<OtherThread>(program.runtime, program.third, fake().makeStream());
    CHECK(third->waits());
    fake().drain();
    records = fake().records;
    launch(program.runtime, program.other, fake().makeStream());
    CHECK_EQUAL(fake().records, records + 3); // in the same phase, which has not ended
    fake().drain();
    records = fake().records;
  }
  third.reset();
  CHECK_EQUAL(fake().records, records + 1 + 3);
  fake().drain();
  program.runtime.finish();
  std::remove("announced_test.pairs.json");
  CHECK(first.everyBlockRan(1) && program.other.everyBlockRan(1) && program.third.everyBlockRan(1));
}

/// CUDA refuses what `fail` names.
static int refused(Program& program, ProgramKernel& kernel, const std::set<std::string>& fail) {
  fake().fail = fail;
  const int error = launch(program.runtime, kernel, program.stream);
  fake().fail.clear();
  return error;
}

static void itRunsNativelyWhereItsTwinCannot() {
  Program program(std::make_unique<Looking>());
  program.fill();
  CHECK_EQUAL(refused(program, program.late, {"launchTwin"}), 0);
  launch(program.runtime, program.other, fake().makeStream());
  launch(program.runtime, program.other, fake().makeStream());
  const RunningKernel* const late = Looking::find("late");
  CHECK(late && late->blocksPerSm == 0);
  fake().drain();
  CHECK(program.late.everyBlockRan(1) && program.other.everyBlockRan(2));
  const uint64_t mallocs = fake().mallocs;
  for (size_t i = 0; i < ControlPool::kSlotsPerSlab; ++i) // its control block is free again
    launch(program.runtime, program.queue, program.stream);
  CHECK_EQUAL(fake().mallocs, mallocs);
  fake().drain();
}

/// The launches in front of it have a budget.
static void itsQueueHasATwinStill() {
  Program program(std::make_unique<Looking>());
  program.fill();
  CHECK_EQUAL(refused(program, program.queue, {"launchTwin"}), 0);
  launch(program.runtime, program.other, fake().makeStream());
  const RunningKernel* const queue = Looking::find("queue");
  CHECK(queue && queue->blocksPerSm == 2);
  fake().drain();
  CHECK(program.queue.everyBlockRan(3) && program.other.everyBlockRan(1));
}

/// A queue, or nothing, is left.
static void whatIsWithdrawnLeavesNothing() {
  const gpusched_cudart& cudart = *fake().table();
  Completions completions;
  RunningSet running;
  RunningKernel seen;
  void* const stream = fake().makeStream();
  const uint64_t made = fake().eventsMade;
  for (int i = 0; i < 3; ++i)
    running.withdraw(*running.add(seen, completions.record(cudart, stream), nullptr, completions),
                     completions);
  CHECK(running.entries().empty());
  CHECK_EQUAL(fake().eventsMade, made + 1);
  for (int i = 0; i < 2; ++i)
    running.add(seen, completions.record(cudart, stream), nullptr, completions)->alsoOf = 5;
  running.withdraw(running.entries()[0], completions);
  CHECK(running.entries().size() == 1 && running.entries()[0].alsoOf == 0);
  fake().drain();
}

/// Nothing runs that others would make room for.
static void whatFailsIsNotThere() {
  Program program(std::make_unique<Looking>());
  program.fill();
  for (ProgramKernel* kernel : {&program.late, &program.queue}) {
    CHECK_EQUAL(refused(program, *kernel, {kernel->native.name}), 999);
    fake().lastError = 0;
  }
  launch(program.runtime, program.other, fake().makeStream());
  CHECK_EQUAL(Looking::running.size(), 1u);
  const RunningKernel* const queue = Looking::find("queue");
  CHECK(queue && queue->blocksPerSm == 2);
  fake().drain();
  CHECK(program.queue.everyBlockRan(2) && program.other.everyBlockRan(1));
}

/// What is in front of it is waited for as before, and the error is for the program to ask for.
static void withoutItTheQueueIsThereStill() {
  Program program(std::make_unique<Waiting>());
  program.fill();
  CHECK_EQUAL(refused(program, program.late, {"late"}), 999);
  CHECK_EQUAL(fake().lastError, 999);
  fake().lastError = 0;
  launch(program.runtime, program.other, fake().makeStream());
  fake().drain();
  CHECK(program.ranInTurn() && program.other.everyBlockRan(1));
  program.fill();
  CHECK_EQUAL(refused(program, program.late, {"late", "eventRecord"}), 999);
  CHECK_EQUAL(fake().lastError, 999);
  fake().lastError = 0;
  fake().drain();
}

int main() {
  othersWaitForIt(BlockedLaunch::At::Launch);
  othersWaitForIt(BlockedLaunch::At::Event);
  alsoWithoutEventsOfTheirOwn();
  patienceEnds();
  awaitedEndsAreUsedAgain();
  othersSeeItAtOnce();
  itsRaiseIsMadeUpFor();
  raisesWaitForItsEnd();
  for (bool lateIsFirst : {false, true})
    raisesAreDroppedFor(lateIsFirst);
  aDroppedRaiseIsPlannedAnew();
  itsOwnRaiseIsPlanned();
  itCanBePausedAfterwards();
  oneForTwoWaitsInBothStreams();
  oneForTwoWaitsForBothStreams();
  whoWaitsForItIsTimed();
  itRunsNativelyWhereItsTwinCannot();
  itsQueueHasATwinStill();
  whatIsWithdrawnLeavesNothing();
  whatFailsIsNotThere();
  withoutItTheQueueIsThereStill();
  CHECK_EQUAL(fake().lastError, 0);
  return checkResult();
}
