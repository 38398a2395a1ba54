// scheduled_launch_test - launches under each policy, on the fake device: who ran beside whom.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/schema/TextFile.h"
#include "test/Check.h"
#include "test/rt/FakeProgram.h"

#include <cstdio>

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static std::string profilePath() {
  return "scheduled_launch_test.profile.json";
}

static KernelProfile profiled(const char* name, KernelClass kernelClass) {
  KernelProfile kernel;
  kernel.fixed.kernel = name;
  kernel.dynamic.emplace();
  kernel.dynamic->kernelClass = kernelClass;
  kernel.dynamic->threadsPerBlock = 128;
  kernel.dynamic->saturationBlocksPerSm = 2;
  return kernel;
}

static Settings withPolicy(const char* policy) {
  Settings settings;
  settings.policy = policy;
  settings.profilePath = profilePath();
  return settings;
}

static bool ranTogether(const char* a, const char* b) {
  for (const std::set<std::string>& names : fake().together)
    if (names.count(a) && names.count(b))
      return true;
  return false;
}

static void* streams[3];

static void nativeChangesNothing() {
  fake().forget();
  Runtime runtime(withPolicy("native"));
  ProgramKernel m1("m1"), m2("m2");
  launch(runtime, m1, streams[0]);
  launch(runtime, m2, streams[1]);
  fake().drain();
  CHECK(m1.everyBlockRan(1) && m2.everyBlockRan(1));
  CHECK(ranTogether("m1", "m2"));
  CHECK_EQUAL(fake().persistentLaunches, 0u);
}

static void serialKeepsThemApart() {
  fake().forget();
  Runtime runtime(withPolicy("serial"));
  ProgramKernel a("m1"), b("m2"), c("c1");
  for (int round = 0; round < 3; ++round) {
    launch(runtime, a, streams[0]);
    launch(runtime, b, streams[1]);
    launch(runtime, c, streams[2]);
  }
  fake().drain();
  CHECK(a.everyBlockRan(3) && b.everyBlockRan(3) && c.everyBlockRan(3));
  CHECK(fake().together.empty());
}

static void kschedulerCoRunsWhatTheRulesAdmit() {
  fake().forget();
  Settings settings = withPolicy("kscheduler");
  settings.parameters = "elastic=0"; // the thesis' fixed budgets
  Runtime runtime(settings);
  ProgramKernel m1("m1"), m2("m2"), c1("c1");
  launch(runtime, m1, streams[0]);
  launch(runtime, m2, streams[1]);
  launch(runtime, c1, streams[2]);
  fake().drain();
  CHECK(m1.everyBlockRan(1) && m2.everyBlockRan(1) && c1.everyBlockRan(1));
  CHECK(ranTogether("m1", "c1"));
  CHECK(!ranTogether("m1", "m2"));
  CHECK_EQUAL(fake().persistentLaunches, 3u);
  for (const auto& [sm, workers] : fake().mostWorkersOnSm)
    CHECK(workers <= 2); // the saturation point
}

/// All blocks that fit while nobody is there, the saturation point beside others.
static void kschedulerBudgetsAreForCompany() {
  fake().forget();
  Runtime runtime(withPolicy("kscheduler"));
  ProgramKernel m1("m1", 400), c1("c1", 20);
  const auto mostWorkers = [](const auto& bySm) {
    int most = 0;
    for (const auto& [sm, workers] : bySm)
      most = std::max(most, int(workers));
    return most;
  };
  launch(runtime, m1, streams[0]);
  steps(4);
  CHECK_EQUAL(mostWorkers(fake().mostWorkersOnSm), 4);
  launch(runtime, c1, streams[1]);
  fake().mostWorkersOnSm.clear();
  steps(4);
  CHECK_EQUAL(mostWorkers(fake().mostWorkersOnSm), 2); // c1's
  fake().drain();
  CHECK(m1.everyBlockRan(1) && c1.everyBlockRan(1));
  CHECK(ranTogether("m1", "c1"));
  CHECK_EQUAL(fake().persistentLaunches, 3u); // m1 was helped once c1 was over
}

static void unprofiledKernelsRunNativelyAndAlone() {
  fake().forget();
  Runtime runtime(withPolicy("kscheduler"));
  ProgramKernel known("m1"), unknown("stranger");
  launch(runtime, known, streams[0]);
  launch(runtime, unknown, streams[1]);
  fake().drain();
  CHECK(known.everyBlockRan(1) && unknown.everyBlockRan(1));
  CHECK(fake().together.empty());
  CHECK_EQUAL(fake().nativeLaunches, 1u);
}

/// "wide" saturates at 4 blocks per SM, and 3 of its twin fit.
static void launchWide(Settings settings, int twinOccupancy, bool besideOther) {
  fake().forget();
  Runtime runtime(settings);
  ProgramKernel other("c1"), wide("wide");
  wide.twin.occupancy = twinOccupancy;
  if (besideOther)
    launch(runtime, other, streams[1]);
  launch(runtime, wide, streams[0]);
  runtime.finish();
  fake().drain();
  CHECK(wide.everyBlockRan(1));
}

static void theGuardKeepsALoneKernelNative() {
  Settings settings = withPolicy("kscheduler");
  launchWide(settings, 4, false);
  CHECK_EQUAL(fake().persistentLaunches, 1u);
  launchWide(settings, 3, true);
  CHECK_EQUAL(fake().persistentLaunches, 3u); // the other kernel needs the room, then gets it back
  settings.tracePath = "scheduled_launch_test.trace.json";
  launchWide(settings, 3, false);
  CHECK_EQUAL(fake().persistentLaunches, 0u);
  Result<TraceFile> trace = readTrace(settings.tracePath);
  CHECK(trace.ok() && trace->launches.at(0).reason.find("3 instead of 4") != std::string::npos);
  std::remove(settings.tracePath.c_str());
  settings.blocksPerSm.named["other"] = 3;
  launchWide(settings, 3, false);
  CHECK_EQUAL(fake().persistentLaunches, 0u);
  settings.blocksPerSm.named["wide"] = 3; // who asks for it gets it
  launchWide(settings, 3, false);
  CHECK_EQUAL(fake().persistentLaunches, 1u);
  settings.blocksPerSm = {};
  settings.occupancyGuard = false;
  launchWide(settings, 3, false);
  CHECK_EQUAL(fake().persistentLaunches, 1u);
}

static void farAheadOfTheDevice() {
  fake().forget();
  Runtime runtime(withPolicy("kscheduler"));
  ProgramKernel m1("m1", 5), m2("m2", 5), c1("c1", 5);
  for (int round = 0; round < 200; ++round) {
    launch(runtime, m1, streams[round % 3]);
    launch(runtime, m2, streams[(round + 1) % 3]);
    launch(runtime, c1, nullptr);
    if (round % 50 == 0)
      fake().drain();
  }
  fake().drain();
  CHECK(fake().idle());
  CHECK(m1.everyBlockRan(200) && m2.everyBlockRan(200) && c1.everyBlockRan(200));
  CHECK(!ranTogether("m1", "m2"));
  CHECK_EQUAL(fake().lastError, 0);
}

static void theTraceSaysWhy() {
  Settings settings = withPolicy("kscheduler");
  settings.tracePath = "scheduled_launch_test.trace.json";
  Runtime runtime(settings);
  ProgramKernel m1("m1"), m2("m2");
  launch(runtime, m1, streams[0]);
  launch(runtime, m2, streams[1]);
  fake().drain();
  runtime.finish();
  Result<TraceFile> trace = readTrace(settings.tracePath);
  CHECK(trace.ok());
  if (!trace)
    return;
  CHECK_EQUAL(trace->policy, "kscheduler");
  CHECK_EQUAL(trace->launches.size(), 2u);
  CHECK_EQUAL(trace->launches[1].after.size(), 1u);
  CHECK_EQUAL(trace->launches[1].blocksPerSm, 4u); // it waits for the only other one
  CHECK(trace->launches[1].reason.find("rule 4") != std::string::npos);
  std::remove(settings.tracePath.c_str());
}

int main() {
  ProfileFile file;
  file.kernels = {profiled("m1", KernelClass::Memory), profiled("m2", KernelClass::Memory),
                  profiled("c1", KernelClass::Compute), profiled("wide", KernelClass::Memory)};
  file.kernels.back().dynamic->saturationBlocksPerSm = 4;
  CHECK(writeProfile(profilePath(), file).ok());
  for (void*& stream : streams)
    stream = fake().makeStream();
  nativeChangesNothing();
  serialKeepsThemApart();
  kschedulerCoRunsWhatTheRulesAdmit();
  kschedulerBudgetsAreForCompany();
  unprofiledKernelsRunNativelyAndAlone();
  theGuardKeepsALoneKernelNative();
  farAheadOfTheDevice();
  theTraceSaysWhy();
  std::remove(profilePath().c_str());
  return checkResult();
}
