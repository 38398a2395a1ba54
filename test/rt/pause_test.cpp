// pause_test - a paused kernel stops between blocks, holds its stream, and ends with every
// block run exactly once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Check.h"
#include "test/rt/BlockedLaunch.h"
#include "test/rt/FakeProgram.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static Settings pausable(uint32_t times) {
  Settings settings = forcedPersistent(1);
  settings.spareLaunches = times;
  return settings;
}

static void pausedInTheMiddleThenResumed() {
  Runtime runtime(pausable(2));
  ProgramKernel kernel("k"), successor("after", 10);
  launch(runtime, kernel, nullptr);
  launch(runtime, successor, nullptr);
  steps(30);
  for (uint64_t round = 0; round < 2; ++round) {
    CHECK_EQUAL(runtime.pauseAll(), 2u);
    uint64_t atPause = blocksRun(kernel);
    CHECK(atPause > 0 && atPause < 100);
    fake().drain(); // as far as the device gets
    CHECK(!fake().idle());
    CHECK(blocksRun(kernel) <= atPause + 4); // only what was claimed
    CHECK_EQUAL(blocksRun(successor), 0u);   // the stream is held
    runtime.resumeAll();
    steps(30);
  }
  fake().drain();
  CHECK(fake().idle());
  CHECK(kernel.everyBlockRan(1));
  CHECK(successor.everyBlockRan(1));
}

/// Nor is another thread's capture in its way.
static void pausedBeforeItStarts() {
  Runtime runtime(pausable(1));
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr);
  fake().captureElsewhere = true;
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  CHECK(!fake().spoiltCapture);
  fake().drain();
  CHECK_EQUAL(blocksRun(kernel), 0u);
  runtime.resumeAll();
  CHECK(!fake().spoiltCapture);
  fake().captureElsewhere = false;
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
}

/// Resuming asks nothing of CUDA: no stream of ours can be in its way.
static void resumedThoughNothingCanBeEnqueued() {
  Runtime runtime(pausable(1));
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr);
  steps(30);
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  fake().fail = {"memcpyAsync", "streamCreateWithFlags"};
  runtime.resumeAll();
  fake().fail.clear();
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
}

/// In the queue of a stream that is held, a launch waits for room that only the resume makes, under
/// a policy with the device's lock.
static void resumedThoughALaunchIsBlocked() {
  Settings settings = pausable(1);
  settings.policy = "even";
  Runtime runtime(settings);
  ProgramKernel kernel("k"), successor("after", 10);
  launch(runtime, kernel, nullptr);
  steps(30);
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  {
    const BlockedLaunch blocked(runtime, successor);
    CHECK_EQUAL(runtime.pauseAll(), 0u); // nor does that wait
    runtime.resumeAll();
  }
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
  CHECK(successor.everyBlockRan(1));
}

/// A launch that was ending when it was paused has ended, and another one is about to begin with
/// its control block when all are resumed.
static void resumedWhenItsControlBlockIsAnothers() {
  Settings settings = pausable(1);
  settings.policy = "even";
  settings.blocksPerSm.named = {{"wide", 2}};
  Runtime runtime(settings);
  ProgramKernel before("before", 10), narrow("narrow"), wide("wide");
  for (int i = 0; i < 10; ++i)
    launch(runtime, before, fake().makeStream());
  fake().drain();
  for (int i = 0; i < 10; ++i) {
    launch(runtime, before, nullptr);
    fake().drain();
  }
  // By now those that are looked at first are all as this one leaves its own.
  launch(runtime, narrow, nullptr);
  fake().started.clear();
  while (fake().started.size() < 2) // the spare
    fake().step();
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  fake().drain();
  fake().mostWorkersOnSm.clear();
  {
    const BlockedLaunch blocked(runtime, wide);
    runtime.resumeAll();
  }
  fake().drain();
  CHECK(narrow.everyBlockRan(1) && wide.everyBlockRan(1));
  CHECK_EQUAL(fake().mostWorkersOnSm[0], 2u);
}

/// Who pauses does not wait until its copies have room.
static void aThreadOfOursStopsIt() {
  Settings settings = pausable(1);
  settings.attends = true;
  Runtime runtime(settings);
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr);
  steps(30);
  const uint64_t copies = fake().copies;
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  while (fake().copies < copies + 2)
    std::this_thread::yield();
  fake().drain();
  CHECK(!fake().idle());
  CHECK(blocksRun(kernel) < 100);
  runtime.resumeAll();
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
}

/// Which has no context for it: the launch goes on by itself.
static void aThreadOfOursCannotStopIt() {
  Settings settings = pausable(1);
  settings.attends = true;
  Runtime runtime(settings);
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr);
  steps(30);
  fake().fail = {"contextSet"};
  fake().contextSetWaits = true; // else the thread may have failed before the pauses are counted
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  fake().contextSetWaits = false;
  while (!fake().idle()) {
    fake().drain();
    std::this_thread::yield();
  }
  fake().fail.clear();
  CHECK(kernel.everyBlockRan(1));
}

/// Its copy is on its way when the launch is resumed, and comes when there is a budget again; a
/// second pause meanwhile would not know of which one it hears.
static void aPauseThatIsLateStopsNothing() {
  Runtime runtime(pausable(3));
  ProgramKernel kernel("k");
  const uint64_t left = fake().workersLeft;
  launch(runtime, kernel, nullptr);
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  runtime.resumeAll();
  CHECK_EQUAL(runtime.pauseAll(), 0u);
  steps(30);
  CHECK_EQUAL(fake().workersLeft, left);
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  runtime.resumeAll();
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
}

static int twinsUntilRefusal = 0;

static int refusedOnce(const void* function, gpusched_dim3 grid, gpusched_dim3 block,
                       void** arguments, size_t sharedBytes, void* stream) {
  const bool isTwin = static_cast<const FakeKernel*>(function)->persistentOf != nullptr;
  if (isTwin && twinsUntilRefusal-- == 0)
    return 999;
  return fake().table()->launchKernel(function, grid, block, arguments, sharedBytes, stream);
}

/// The wait in front of a spare that was refused is in the stream.
static void withFewerSparesThanGates() {
  gpusched_cudart refusing = *fake().table();
  refusing.launchKernel = refusedOnce;
  twinsUntilRefusal = 2;
  Runtime runtime(pausable(2));
  ProgramKernel kernel("k"), successor("after", 10);
  launch(runtime, kernel, nullptr, 128, false, &refusing);
  launch(runtime, successor, nullptr);
  CHECK_EQUAL(runtime.pauseAll(), 2u);
  runtime.resumeAll();
  steps(4);                            // the pauses' copies
  CHECK_EQUAL(runtime.pauseAll(), 1u); // the successor
  runtime.resumeAll();
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
  CHECK(successor.everyBlockRan(1));
}

static int recordedLater(void* event, void* stream) {
  static ProgramKernel before("before");
  (void)fake().table()->launchKernel(&before.native, {100, 1, 1}, {128, 1, 1}, nullptr, 0, stream);
  return fake().table()->eventRecord(event, stream);
}

/// A pause that comes when the launch has nothing more to run, and whose end nobody has seen,
/// leaves a budget of none in the control block.
static void pausedAtItsEnd() {
  gpusched_cudart refusing = *fake().table();
  refusing.launchKernel = refusedOnce;
  refusing.eventRecord = recordedLater;
  twinsUntilRefusal = 3; // the second launch has no spare
  Runtime runtime(pausable(1));
  ProgramKernel kernel("k", 10);
  fake().started.clear();
  launch(runtime, kernel, nullptr, 128, false, &refusing);
  while (fake().started.size() < 2)
    fake().step();
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  steps(4); // the pause's copies
  runtime.resumeAll();
  fake().drain();
  launch(runtime, kernel, nullptr, 128, false, &refusing);
  fake().drain();
  CHECK(kernel.everyBlockRan(2));
}

static void whatCannotBePausedRuns() {
  Runtime runtime(pausable(2));
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr);
  fake().fail = {"memcpyAsync"};
  CHECK_EQUAL(runtime.pauseAll(), 0u);
  fake().fail.clear();
  steps(30);
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  runtime.resumeAll();
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
}

static void pausedAfterItsEndChangesNothing() {
  Runtime runtime(pausable(1));
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr);
  fake().drain();
  CHECK_EQUAL(runtime.pauseAll(), 0u);
  CHECK(kernel.everyBlockRan(1));
}

static void sparesRunOut() {
  Runtime runtime(pausable(1));
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr);
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  runtime.resumeAll();
  steps(4); // the pause's copies
  CHECK_EQUAL(runtime.pauseAll(), 0u);
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
}

static void withoutWaitValueNothingIsPausable() {
  fake().waitValue = false;
  Runtime runtime(pausable(1));
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr);
  fake().waitValue = true;
  CHECK_EQUAL(runtime.pauseAll(), 0u);
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
  CHECK_EQUAL(fake().lastError, 0);
}

/// Where events cannot be asked for, the context is gone, and with it the words that a resume
/// writes.
static void whatIsGoneIsNotResumed() {
  Runtime runtime(pausable(1));
  ProgramKernel kernel("k");
  launch(runtime, kernel, fake().makeStream());
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  fake().fail = {"eventQuery"};
  runtime.resumeAll();
  fake().fail.clear();
  fake().drain();
  CHECK_EQUAL(blocksRun(kernel), 0u);
}

/// A thread that moves the device while the program waits for it.
class MovingDevice {
public:
  ~MovingDevice() {
    over_ = true;
    thread_.join();
  }

private:
  std::atomic<bool> over_ = false;
  std::thread thread_{[this] {
    while (!over_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      fake().step();
    }
  }};
};

static Settings pausedEvery(uint64_t microseconds) {
  Settings settings = forcedPersistent(1);
  settings.pauseEveryUs = microseconds;
  return settings;
}

/// On a busy device a launch starts later than it is paused, so each round makes no progress, until
/// the knob waits longer.
static void pausesThatComeBeforeTheStartBecomeRarer() {
  Runtime runtime(pausedEvery(1));
  ProgramKernel first("first", 2), kernel("k", 10);
  {
    MovingDevice device;
    launch(runtime, first, nullptr);              // makes the stream that budgets are written in
    launch(runtime, kernel, fake().makeStream()); // which is moved before this one
  }
  CHECK(fake().copies <
        2000); // three a pause; some 300, and tens of thousands where none waits longer
  CHECK(first.everyBlockRan(1) && kernel.everyBlockRan(1));
}

static bool hasCleared = false;

/// But the first, of the control blocks.
static int refusedWhenAllHasRun(void** stream, unsigned flags) {
  if (!hasCleared)
    return hasCleared = true, fake().table()->streamCreateWithFlags(stream, flags);
  fake().drain();
  return 2;
}

/// The launch begins, and copies its budget, while the knob finds that it cannot pause it.
static void whatTheKnobCannotPauseRuns() {
  gpusched_cudart refusing = *fake().table();
  refusing.streamCreateWithFlags = refusedWhenAllHasRun;
  Runtime runtime(pausedEvery(1));
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr, 128, false, &refusing);
  CHECK(kernel.everyBlockRan(1));
}

/// The last launch counts on where the first one stopped, which was not paused.
static void progressIsCountedFromTheLaunch() {
  Runtime runtime(pausedEvery(200'000));
  ProgramKernel brief("brief", 60), paused("paused", 220);
  {
    MovingDevice device;
    launch(runtime, brief, nullptr);
    launch(runtime, brief, nullptr); // by now the first one's control block is free
    launch(runtime, paused, nullptr);
  }
  CHECK(brief.everyBlockRan(2) && paused.everyBlockRan(1));
}

int main() {
  pausesThatComeBeforeTheStartBecomeRarer();
  whatTheKnobCannotPauseRuns();
  progressIsCountedFromTheLaunch();
  pausedInTheMiddleThenResumed();
  pausedBeforeItStarts();
  resumedThoughNothingCanBeEnqueued();
  resumedThoughALaunchIsBlocked();
  resumedWhenItsControlBlockIsAnothers();
  aThreadOfOursStopsIt();
  aThreadOfOursCannotStopIt();
  aPauseThatIsLateStopsNothing();
  whatCannotBePausedRuns();
  withFewerSparesThanGates();
  pausedAfterItsEndChangesNothing();
  pausedAtItsEnd();
  sparesRunOut();
  withoutWaitValueNothingIsPausable();
  whatIsGoneIsNotResumed(); // its stream stays as it is
  return checkResult();
}
