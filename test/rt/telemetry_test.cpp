// telemetry_test - which launches are sampled, what their records say, and that trouble costs
// figures only.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/Telemetry.h"
#include "test/Check.h"
#include "test/rt/FakeProgram.h"

#include <string>

using namespace gpusched;

static FakeCudart& fake() {
  return FakeCudart::instance();
}

static Settings sampling(uint32_t every, const std::string& path) {
  Settings settings = forcedPersistent(2);
  settings.telemetryEvery = every;
  settings.telemetryPath = path;
  return settings;
}

/// Launches `times` times with telemetry compiled in, or not, and reads the file.
static MeasurementFile measure(const Settings& settings, unsigned times, bool compiledIn = true,
                               bool drained = true) {
  Runtime runtime(settings);
  ProgramKernel kernel("k");
  fake().telemetry = compiledIn;
  kernel.node.flags = compiledIn ? GPUSCHED_KERNEL_TELEMETRY : 0;
  for (unsigned i = 0; i < times; ++i)
    launch(runtime, kernel, nullptr);
  if (drained)
    fake().drain();
  runtime.finish();
  fake().drain();
  CHECK(kernel.everyBlockRan(times));
  Result<MeasurementFile> file = readMeasurement(settings.telemetryPath);
  CHECK(file.ok());
  return file ? *file : MeasurementFile{};
}

static void recordsBecomeFigures() {
  MeasurementFile file = measure(sampling(1, "all.json"), 3);
  CHECK_EQUAL(file.source, "telemetry");
  CHECK_EQUAL(file.problem, "");
  CHECK_EQUAL(file.dropped, 0u);
  CHECK_EQUAL(file.kernels.size(), 1u);
  KernelMeasurement& kernel = file.kernels.at(0);
  CHECK_EQUAL(kernel.kernel, "k");
  CHECK_EQUAL(kernel.threadsPerBlock, 128u);
  CHECK_EQUAL(kernel.blocks, 100u);
  CHECK_EQUAL(kernel.blocksPerSm, 2u);
  CHECK_EQUAL(kernel.launches, 3u);
  CHECK_EQUAL(kernel.values["blocks_run"], 100.0);
  CHECK_EQUAL(kernel.values["workers"], 8.0);
  CHECK_EQUAL(kernel.values["workers_launched"], 16.0);
  CHECK_EQUAL(kernel.values["sms"], 4.0);
  CHECK_EQUAL(kernel.values["workers_per_sm_max"], 2.0);
  CHECK_EQUAL(kernel.values["blocks_per_worker_mean"], 12.5);
  CHECK_EQUAL(kernel.values["claims_lost"], 8.0);
  CHECK_EQUAL(kernel.timesUs.size(), 3u);
  // One block a step, eight workers in turn: a block takes a worker eight steps of a millisecond.
  CHECK(kernel.values["block_us"] > 7500 && kernel.values["block_us"] < 9500);
  CHECK_EQUAL(kernel.blocksBySm.size(), 4u);
  double sum = 0;
  for (double blocks : kernel.blocksBySm)
    sum += blocks;
  CHECK_EQUAL(sum, 100.0);
}

static void oneOfSoManyIsSampled() {
  CHECK_EQUAL(measure(sampling(4, "some.json"), 9).kernels.at(0).launches, 3u);
}

static void withoutAClockThereAreNoTimes() {
  Settings settings = sampling(1, "untimed.json");
  settings.telemetryTimed = false;
  MeasurementFile file = measure(settings, 2);
  CHECK(file.kernels.at(0).timesUs.empty());
  CHECK_EQUAL(file.kernels.at(0).values.count("block_us"), 0u);
  CHECK_EQUAL(file.kernels.at(0).values["blocks_run"], 100.0);
}

static void aKernelWithoutItIsLeftAlone() {
  uint64_t mallocs = fake().mallocs;
  MeasurementFile file = measure(sampling(1, "none.json"), 2, false);
  CHECK(file.kernels.empty());
  CHECK(file.problem.find("--gpusched-telemetry") != std::string::npos);
  CHECK_EQUAL(fake().mallocs - mallocs, 2u); // the control blocks, and no buffer
}

static void aLaunchThatHasNotComeBackIsDropped() {
  MeasurementFile file = measure(sampling(1, "early.json"), 2, true, false);
  CHECK_EQUAL(file.dropped, 2u);
  CHECK(file.problem.find("none of 2 sampled launches") != std::string::npos);
}

static void moreLaunchesThanBuffersAreNotSampled() {
  MeasurementFile file = measure(sampling(1, "many.json"), 20);
  CHECK_EQUAL(file.kernels.at(0).launches, uint64_t(TelemetryBuffers::kAtOnce));
}

/// Whatever fails, the launch is made and its blocks run; `measure` checks that.
static void troubleCostsFiguresOnly() {
  fake().fail = {"launchHostFunc"};
  MeasurementFile file = measure(sampling(1, "lost.json"), 20);
  CHECK(file.kernels.empty());
  CHECK_EQUAL(file.dropped, uint64_t(TelemetryBuffers::kAtOnce));
  fake().fail.clear();
  CHECK_EQUAL(fake().lastError, 0);
}

static void recordsBeyondTheBufferAreCounted() {
  TelemetryRecorder recorder(1, true, "full.json");
  struct {
    gpusched_telemetry head{2, 5};
    gpusched_worker_record records[2] = {{0, 10, 10, 0, 3, 0, 0}, {5, 25, 20, 1, 1, 1, 0}};
  } buffer;
  recorder.sampled();
  recorder.take({"k", 64, 0, 10, 1, 5}, buffer.head);
  recorder.write();
  Result<MeasurementFile> file = readMeasurement("full.json");
  CHECK(file.ok() && file->dropped == 3);
  KernelMeasurement kernel = file->kernels.at(0);
  CHECK_EQUAL(kernel.values["blocks_run"], 4.0);
  CHECK_EQUAL(kernel.values["blocks_per_worker_min"], 1.0);
  CHECK_EQUAL(kernel.values["blocks_per_worker_max"], 3.0);
  CHECK_EQUAL(kernel.values["sm_load_max_over_mean"], 1.5);
  CHECK_EQUAL(kernel.values["block_us"], 0.0075);
  CHECK_EQUAL(kernel.values["block_cycles"], 7.5);
  CHECK_EQUAL(kernel.values["busy_share"], 0.6);
  CHECK_EQUAL(kernel.values["claims_lost"], 1.0);
  CHECK_EQUAL(kernel.timesUs.at(0), 0.025);
}

int main() {
  recordsBecomeFigures();
  oneOfSoManyIsSampled();
  withoutAClockThereAreNoTimes();
  aKernelWithoutItIsLeftAlone();
  aLaunchThatHasNotComeBackIsDropped();
  moreLaunchesThanBuffersAreNotSampled();
  troubleCostsFiguresOnly();
  recordsBeyondTheBufferAreCounted();
  return checkResult();
}
