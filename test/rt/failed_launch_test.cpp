// failed_launch_test - what CUDA refuses the runtime, the program does not notice.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Check.h"
#include "test/rt/FakeProgram.h"

#include <cstdio>
#include <functional>
#include <set>
#include <thread>
#include <utility>

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static void everyFailureLaunchesNatively() {
  const std::set<std::string> all[] = {{"funcGetAttributes"},  {"malloc"},
                                       {"mallocHost", "free"}, {"streamCreateWithFlags"},
                                       {"memcpyAsync"},        {"launchTwin"}};
  for (const std::set<std::string>& entries : all) {
    fake().forget();
    Settings settings = forcedPersistent();
    settings.tracePath = "failed_launch_test.trace.json";
    Runtime runtime(settings);
    ProgramKernel kernel("k");
    fake().fail = entries;
    CHECK_EQUAL(launch(runtime, kernel, nullptr), 0);
    fake().fail.clear();
    fake().drain();
    CHECK(kernel.everyBlockRan(1));
    CHECK_EQUAL(fake().nativeLaunches, 1u);
    CHECK_EQUAL(fake().lastError, 0);
    runtime.finish();
    const Result<TraceFile> trace = readTrace(settings.tracePath);
    CHECK(trace.ok() && trace->launches.at(0).reason != "no policy: as launched");
    std::remove(settings.tracePath.c_str());
  }
}

/// The copy of a launch fails, which has a slot of a slab that was cleared.
static void aCopyThatFailsLaunchesNatively() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("k");
  launch(runtime, kernel, nullptr);
  fake().fail = {"memcpyAsync"};
  launch(runtime, kernel, nullptr);
  fake().fail.clear();
  fake().drain();
  CHECK(kernel.everyBlockRan(2));
  CHECK_EQUAL(fake().nativeLaunches, 1u);
  CHECK_EQUAL(fake().lastError, 0);
}

/// The copy of a launch that then failed waits in its stream yet: another launch that had its
/// control block would begin anew when it comes.
static void aCopyThatWaitsKeepsItsControlBlock() {
  fake().forget();
  Runtime runtime(forcedPersistent(1));
  void* const blocked = fake().makeStream();
  ProgramKernel lasting("lasting", 50), failing("failing"), other("other", 400);
  void* none[1] = {};
  fake().table()->launchKernel(&lasting.native, {50, 1, 1}, {128, 1, 1}, none, 0, blocked);
  fake().fail = {"launchTwin"};
  CHECK_EQUAL(launch(runtime, failing, blocked), 0);
  fake().fail.clear();
  launch(runtime, other, fake().makeStream());
  fake().drain();
  CHECK(failing.everyBlockRan(1));
  CHECK(other.everyBlockRan(1));
  CHECK_EQUAL(fake().persistentLaunches, 1u);
  // It is used again afterwards: 64 launches at once need no second slab.
  const uint64_t slabs = fake().mallocs;
  void* const stream = fake().makeStream();
  for (int i = 0; i < 64; ++i)
    launch(runtime, other, stream);
  fake().drain();
  CHECK_EQUAL(fake().mallocs, slabs);
}

/// Nobody else would say that it is over: the one before did.
static void aFailedLaunchDoesNotSayItsEnd() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("k"), failing("failing");
  launch(runtime, kernel, nullptr);
  fake().drain();
  fake().fail = {"launchTwin"};
  launch(runtime, failing, nullptr);
  fake().fail.clear();
  fake().drain();
  const uint64_t slabs = fake().mallocs;
  for (int i = 0; i < 64; ++i)
    launch(runtime, kernel, nullptr);
  CHECK_EQUAL(fake().mallocs, slabs);
  fake().drain();
  CHECK(kernel.everyBlockRan(65) && failing.everyBlockRan(1));
}

static std::function<void()> meanwhile;

/// A launch of a twin fails, and `meanwhile` comes in the midst of it.
static int failedMeanwhile(const void* function, gpusched_dim3 grid, gpusched_dim3 block,
                           void** arguments, size_t sharedBytes, void* stream) {
  if (!static_cast<const FakeKernel*>(function)->persistentOf)
    return fake().table()->launchKernel(function, grid, block, arguments, sharedBytes, stream);
  if (const std::function<void()> other = std::exchange(meanwhile, nullptr))
    std::thread(other).join();
  return 999;
}

/// The log of the test is read by failed-launch.test.
static void twoThreadsSayOnceWhatFailed() {
  fake().forget();
  gpusched_cudart failing = *fake().table();
  failing.launchKernel = failedMeanwhile;
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("said once");
  meanwhile = [&] { launch(runtime, kernel, nullptr, 128, false, &failing); };
  launch(runtime, kernel, nullptr, 128, false, &failing);
  fake().drain();
  CHECK(kernel.everyBlockRan(2));
}

/// An error of the program that it has not asked for yet is not taken away by what fails of ours.
static void errorsOfTheProgramStay() {
  for (const char* entry : {"", "funcGetAttributes", "malloc"}) {
    fake().forget();
    Runtime runtime(forcedPersistent());
    ProgramKernel kernel("k", 10);
    fake().fail = {entry};
    fake().lastError = 2;
    CHECK_EQUAL(launch(runtime, kernel, nullptr), 0);
    fake().fail.clear();
    fake().drain();
    CHECK(kernel.everyBlockRan(1));
    CHECK_EQUAL(fake().nativeLaunches, 1u);
    CHECK_EQUAL(fake().lastError, 2);
    fake().lastError = cudart::kErrorNotReady;
    launch(runtime, kernel, nullptr);
    fake().drain();
    CHECK_EQUAL(fake().persistentLaunches, 1u);
    fake().lastError = 0;
  }
}

static void capturesOfOtherThreadsAreNotSpoilt() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("k", 20);
  fake().captureElsewhere = true;
  for (int round = 0; round < 70; ++round)
    launch(runtime, kernel, nullptr);
  fake().captureElsewhere = false;
  fake().drain();
  CHECK(kernel.everyBlockRan(70));
  CHECK(!fake().spoiltCapture);
  CHECK_EQUAL(fake().captureMode, 0);
}

static void whereTheModeStaysNothingIsAsked() {
  fake().forget();
  Runtime runtime(forcedPersistent());
  ProgramKernel kernel("k");
  fake().captureElsewhere = true;
  fake().fail = {"threadExchangeStreamCaptureMode"};
  CHECK_EQUAL(launch(runtime, kernel, nullptr), 0);
  CHECK_EQUAL(runtime.pauseAll(), 0u);
  fake().fail.clear();
  fake().captureElsewhere = false;
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
  CHECK_EQUAL(fake().nativeLaunches, 1u);
  CHECK(!fake().spoiltCapture);
  CHECK_EQUAL(fake().lastError, 0);
}

int main() {
  everyFailureLaunchesNatively();
  aCopyThatFailsLaunchesNatively();
  aCopyThatWaitsKeepsItsControlBlock();
  aFailedLaunchDoesNotSayItsEnd();
  twoThreadsSayOnceWhatFailed();
  errorsOfTheProgramStay();
  capturesOfOtherThreadsAreNotSpoilt();
  whereTheModeStaysNothingIsAsked();
  return checkResult();
}
