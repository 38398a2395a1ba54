// pause_test - a paused kernel stops between blocks, holds its stream, and ends with every
// block run exactly once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Check.h"
#include "test/rt/FakeProgram.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static uint64_t blocksRun(const ProgramKernel& kernel) {
  return uint64_t(std::count(kernel.runs.begin(), kernel.runs.end(), 1u));
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
  for (int i = 0; i < 30; ++i)
    fake().step();
  for (uint64_t round = 0; round < 2; ++round) {
    CHECK_EQUAL(runtime.pauseAll(), 2u);
    uint64_t atPause = blocksRun(kernel);
    CHECK(atPause > 0 && atPause < 100);
    fake().drain(); // as far as the device gets
    CHECK(!fake().idle());
    CHECK(blocksRun(kernel) <= atPause + 4); // only what was claimed
    CHECK_EQUAL(blocksRun(successor), 0u);   // the stream is held
    runtime.resumeAll();
    for (int i = 0; i < 30; ++i)
      fake().step();
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

static void whatCannotBeResumedIsResumedLater() {
  Runtime runtime(pausable(1));
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr);
  for (int i = 0; i < 30; ++i)
    fake().step();
  CHECK_EQUAL(runtime.pauseAll(), 1u);
  fake().fail = {"memcpyAsync"};
  runtime.resumeAll();
  fake().fail.clear();
  fake().drain();
  CHECK(!fake().idle());
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
  CHECK_EQUAL(runtime.pauseAll(), 1u); // the successor
  runtime.resumeAll();
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
  CHECK(successor.everyBlockRan(1));
}

static void whatCannotBePausedRuns() {
  Runtime runtime(pausable(1));
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr);
  fake().fail = {"memcpyAsync"};
  CHECK_EQUAL(runtime.pauseAll(), 0u);
  fake().fail.clear();
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
  progressIsCountedFromTheLaunch();
  pausedInTheMiddleThenResumed();
  pausedBeforeItStarts();
  whatCannotBeResumedIsResumedLater();
  whatCannotBePausedRuns();
  withFewerSparesThanGates();
  pausedAfterItsEndChangesNothing();
  sparesRunOut();
  withoutWaitValueNothingIsPausable();
  return checkResult();
}
