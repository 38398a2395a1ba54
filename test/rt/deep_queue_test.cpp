// deep_queue_test - who waits for room in a full queue is in nobody else's way.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/schema/Trace.h"
#include "test/Check.h"
#include "test/rt/BlockedLaunch.h"
#include "test/rt/FakeProgram.h"
#include "test/rt/OtherThread.h"

#include <cstdio>

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static Settings deepFrom(uint32_t launches) {
  Settings settings;
  settings.policy = "even";
  settings.deepQueue = launches;
  return settings;
}

static void othersLaunchMeanwhile(BlockedLaunch::At where, const char* tracePath = "") {
  Settings settings = deepFrom(2);
  settings.tracePath = tracePath;
  Runtime runtime(settings);
  ProgramKernel kernel("k"), other("other");
  void* const stream = fake().makeStream();
  launch(runtime, kernel, stream);
  launch(runtime, kernel, stream);
  {
    const BlockedLaunch blocked(runtime, kernel, stream, where);
    launch(runtime, other, fake().makeStream());
    fake().drain();
    CHECK(kernel.everyBlockRan(where == BlockedLaunch::At::Launch ? 2 : 3));
    CHECK(other.everyBlockRan(1));
    launch(runtime, other, fake().makeStream()); // takes no control block that is in use
  }
  fake().drain();
  CHECK(kernel.everyBlockRan(3) && other.everyBlockRan(2));
  runtime.finish();
}

/// Each with its times.
static void alsoWhereLaunchesAreTraced() {
  const std::string path = "deep_queue_test.trace.json";
  othersLaunchMeanwhile(BlockedLaunch::At::Launch, path.c_str());
  const Result<TraceFile> trace = readTrace(path);
  CHECK(trace.ok() && trace->launches.size() == 5);
  if (trace)
    for (const TraceLaunch& each : trace->launches)
      CHECK(hasTimes(each));
  std::remove(path.c_str());
}

/// Without a policy there is nothing to decide, and no queue need be deep.
static void othersLaunchMeanwhileByBudget(BlockedLaunch::At where) {
  Runtime runtime(forcedPersistent(1));
  ProgramKernel kernel("k"), other("other");
  {
    const BlockedLaunch blocked(runtime, kernel, fake().makeStream(), where);
    const uint64_t records = fake().records;
    launch(runtime, other, fake().makeStream());
    CHECK_EQUAL(fake().records, records + 1);
    fake().drain();
    CHECK(other.everyBlockRan(1));
  }
  fake().drain();
  CHECK(kernel.everyBlockRan(1));
}

static void itsOwnStreamStaysInOrder() {
  Runtime runtime(deepFrom(1));
  ProgramKernel kernel("k"), successor("after");
  void* const stream = fake().makeStream();
  launch(runtime, kernel, stream);
  fake().launched.clear();
  std::unique_ptr<OtherThread> other;
  {
    const BlockedLaunch blocked(runtime, kernel, stream);
    other = std::make_unique<OtherThread>(runtime, successor, stream);
    CHECK(other->waits());
  }
  other.reset();
  CHECK_EQUAL(fake().launched.size(), 2u);
  CHECK(fake().launched.back().kernel == &successor.twin);
  fake().drain();
  CHECK(kernel.everyBlockRan(2) && successor.everyBlockRan(1));
}

static void othersWait(const Settings& settings, bool drained = false) {
  Runtime runtime(settings);
  ProgramKernel kernel("k"), other("other");
  void* const stream = fake().makeStream();
  launch(runtime, kernel, stream);
  launch(runtime, kernel, stream);
  if (drained)
    fake().drain();
  std::unique_ptr<OtherThread> second;
  {
    const BlockedLaunch blocked(runtime, kernel, stream);
    second = std::make_unique<OtherThread>(runtime, other, fake().makeStream());
    CHECK(second->waits());
  }
  second.reset();
  fake().drain();
  CHECK(kernel.everyBlockRan(3) && other.everyBlockRan(1));
}

/// The next decision sees a launch whose stream is not deep, or no longer.
static void othersWaitWhereItIsNotDeep() {
  othersWait(deepFrom(3));
  othersWait(deepFrom(2), true);
  othersWait(deepFrom(0));
}

/// However many there have been; events are used again.
static void aStreamTakesThePlaceOfAnIdleOne() {
  const gpusched_cudart& cudart = *fake().table();
  Completions completions;
  StreamDepths depths(2);
  ProgramKernel lasting("lasting", 5000);
  const auto add = [&](void* stream) {
    Completion* const end = completions.record(cudart, stream);
    depths.add(cudart, completions, streamId(stream), end);
    completions.release(end);
  };
  const auto isDeep = [&](void* stream) {
    return depths.isDeep(cudart, completions, streamId(stream));
  };
  void* const busy = fake().makeStream();
  cudart.launchKernel(&lasting.native, {5000, 1, 1}, {128, 1, 1}, nullptr, 0, busy);
  add(busy), add(busy);
  std::vector<void*> streams;
  for (int i = 0; i < 40; ++i)
    add(streams.emplace_back(fake().makeStream())), add(streams.back());
  CHECK(std::all_of(streams.begin(), streams.end(), isDeep));
  steps(10);
  CHECK(std::none_of(streams.begin(), streams.end(), isDeep));
  const uint64_t made = fake().eventsMade;
  for (int i = 0; i < 100; ++i) {
    void* const stream = fake().makeStream();
    add(stream), add(stream);
    CHECK(isDeep(stream) && isDeep(busy));
    steps(10);
  }
  CHECK_EQUAL(fake().eventsMade, made);
  fake().drain();
}

static void aTwinThatFailsThereIsLaunchedNatively() {
  Runtime runtime(deepFrom(1));
  ProgramKernel kernel("k"), broken("broken");
  void* const stream = fake().makeStream();
  launch(runtime, kernel, stream);
  const uint64_t records = fake().records;
  fake().fail = {"launchTwin"};
  launch(runtime, broken, stream);
  fake().fail.clear();
  CHECK_EQUAL(fake().records, records + 1); // until then its control block is kept, too
  launch(runtime, kernel, stream);
  CHECK_EQUAL(fake().records, records + 2);
  fake().drain();
  launch(runtime, kernel, stream);
  fake().drain();
  CHECK(kernel.everyBlockRan(3) && broken.everyBlockRan(1));
}

static int refusals = 0;

static int refusedNative(const void*, gpusched_dim3, gpusched_dim3, void**, size_t, void*) {
  ++refusals;
  return 701;
}

/// It is tried once, and changes nothing for the next one.
static void aNativeErrorIsTheProgramsThereToo() {
  gpusched_cudart refusing = *fake().table();
  refusing.launchKernel = refusedNative;
  Runtime runtime(deepFrom(1));
  ProgramKernel kernel("k"), broken("broken", 100, false);
  void* const stream = fake().makeStream();
  launch(runtime, kernel, stream);
  CHECK_EQUAL(launch(runtime, broken, stream, 128, false, &refusing), 701);
  CHECK_EQUAL(refusals, 1);
  CHECK_EQUAL(launch(runtime, kernel, stream), 0);
  fake().drain();
  CHECK(kernel.everyBlockRan(2));
}

int main() {
  othersLaunchMeanwhile(BlockedLaunch::At::Launch);
  othersLaunchMeanwhile(BlockedLaunch::At::Event);
  alsoWhereLaunchesAreTraced();
  othersLaunchMeanwhileByBudget(BlockedLaunch::At::Launch);
  othersLaunchMeanwhileByBudget(BlockedLaunch::At::Event);
  itsOwnStreamStaysInOrder();
  othersWaitWhereItIsNotDeep();
  aStreamTakesThePlaceOfAnIdleOne();
  aTwinThatFailsThereIsLaunchedNatively();
  aNativeErrorIsTheProgramsThereToo();
  return checkResult();
}
