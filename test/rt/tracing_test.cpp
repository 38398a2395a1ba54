// tracing_test - traces say when launches ran, by the device's clock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of the fake device takes a millisecond; a kernel of 100 blocks runs 100 steps and a few.
#include "rt/schema/Trace.h"
#include "test/Check.h"
#include "test/rt/FakeProgram.h"

#include <cstdio>

using namespace gpusched;

static const char* const kPath = "tracing_test.trace.json";

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static std::vector<TraceLaunch> written(Runtime& runtime) {
  fake().captureElsewhere = true; // nor does it spoil a capture
  runtime.finish();
  CHECK(!fake().spoiltCapture);
  fake().captureElsewhere = false;
  Result<TraceFile> trace = readTrace(kPath);
  CHECK(trace.ok());
  std::remove(kPath);
  return trace ? trace->launches : std::vector<TraceLaunch>();
}

static bool took(const TraceLaunch& launch, double leastUs, double mostUs) {
  const double us = launch.completedUs - launch.startedUs;
  return us >= leastUs && us <= mostUs;
}

static Settings tracing(Settings settings) {
  settings.tracePath = kPath;
  return settings;
}

static Settings underPolicy() {
  Settings settings;
  settings.policy = "native";
  return settings;
}

/// Two streams; the second launch of one of them begins behind the first.
static void everyFormIsTimed() {
  const Settings forms[] = {Settings(), forcedPersistent(), forcedPersistent(1), underPolicy()};
  for (const Settings& form : forms) {
    Runtime runtime(tracing(form));
    ProgramKernel a("a"), b("b", 50);
    void *first = fake().makeStream(), *second = fake().makeStream();
    launch(runtime, a, first);
    launch(runtime, a, first);
    launch(runtime, b, second);
    fake().drain();
    CHECK(a.everyBlockRan(2) && b.everyBlockRan(1));
    const std::vector<TraceLaunch> launches = written(runtime);
    CHECK_EQUAL(launches.size(), size_t(3));
    CHECK(took(launches[0], 100'000, 130'000) && took(launches[1], 100'000, 130'000));
    CHECK(took(launches[2], 50'000, 160'000));
    CHECK(launches[1].startedUs >= launches[0].completedUs);
    CHECK(launches[2].startedUs < launches[0].completedUs);
  }
}

/// While a program runs on, events are used again, and the clock counts from later ones.
static void launchesAreReadWhileTheProgramRuns() {
  Runtime runtime(tracing(Settings()));
  ProgramKernel a("a", 10);
  const uint64_t made = fake().eventsMade;
  for (int i = 0; i < 500; ++i) {
    if (i == 250)
      fake().steps += 3'000'000'000; // a month later
    launch(runtime, a, nullptr);
    fake().drain();
  }
  CHECK(fake().eventsMade - made < 10);
  const std::vector<TraceLaunch> launches = written(runtime);
  for (size_t i = 0; i < launches.size(); ++i)
    CHECK(took(launches[i], 10'000, 20'000));
  for (size_t i = 1; i < launches.size(); ++i) {
    const double gap = launches[i].startedUs - launches[i - 1].completedUs;
    CHECK(gap >= 0 && (gap < 5'000 || i == 250));
  }
}

static void whoIsNotOverHasNoTimes() {
  Runtime runtime(tracing(Settings()));
  ProgramKernel a("a", 10);
  launch(runtime, a, nullptr);
  CHECK_EQUAL(written(runtime).at(0).startedUs, 0.0);
  fake().drain();
}

/// Events of a context that is gone are not touched.
static void afterAResetNothingIsAsked() {
  Runtime runtime(tracing(Settings()));
  ProgramKernel a("a", 10);
  launch(runtime, a, nullptr);
  fake().drain();
  fake().context = 0;
  CHECK_EQUAL(written(runtime).at(0).startedUs, 0.0);
  fake().context = 1;
}

static void timesCanBeLeftOut() {
  Settings settings = tracing(Settings());
  settings.traceTimed = false;
  const uint64_t before = fake().records;
  Runtime runtime(settings);
  ProgramKernel a("a", 10);
  launch(runtime, a, nullptr);
  fake().drain();
  CHECK_EQUAL(written(runtime).at(0).startedUs, 0.0);
  CHECK_EQUAL(fake().records, before);
}

static void withoutEventsLaunchesAreMade() {
  for (const char* call : {"eventRecord", "eventCreate", "eventQuery", "eventElapsedTime"}) {
    Runtime runtime(tracing(Settings()));
    ProgramKernel a("a", 10);
    fake().fail.insert(call);
    const uint64_t made = fake().eventsMade;
    for (int i = 0; i < 3; ++i)
      launch(runtime, a, nullptr);
    fake().drain();
    const bool areKept = std::string(call) != "eventRecord"; // else they are free at once
    CHECK(fake().eventsMade - made <= (areKept ? 6u : 2u));
    const std::vector<TraceLaunch> launches = written(runtime);
    fake().fail.clear();
    CHECK(a.everyBlockRan(3));
    CHECK(launches.size() == 3 && launches[0].startedUs == 0);
    CHECK_EQUAL(fake().lastError, 0);
  }
}

int main() {
  everyFormIsTimed();
  launchesAreReadWhileTheProgramRuns();
  whoIsNotOverHasNoTimes();
  afterAResetNothingIsAsked();
  timesCanBeLeftOut();
  withoutEventsLaunchesAreMade();
  return checkResult();
}
