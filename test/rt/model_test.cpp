// model_test - the queueing model against closed-form answers and the prototype's orderings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The H200 numbers below are those of research/cpu-exec.md 8.4; the expected knees and orders are
// those of 8.3 (vecadd and matmul16, 256 threads).
#include "rt/model/KernelModel.h"
#include "test/Check.h"

using namespace gpusched;

static DeviceDescription h200() {
  DeviceDescription device;
  device.name = "H200 (test)";
  device.sms = 132, device.warpsPerSm = 64, device.blocksPerSm = 32;
  device.l2Bytes = 50ull << 20;
  device.clockMhz = 1980, device.dramGbPerSecond = 4800;
  device.fp32LanesPerSm = 128, device.fp64LanesPerSm = 64, device.int32LanesPerSm = 64;
  device.sfuLanesPerSm = 16;
  device.sharedLatency = 29, device.l1Latency = 41, device.l2Latency = 263,
  device.dramLatency = 480;
  return device;
}

/// c[i] = a[i] + b[i] over 2^24 elements.
static KernelCounters vecadd() {
  KernelCounters counters;
  counters.launches = 1;
  counters.threads = 1 << 24, counters.warps = counters.threads / 32;
  counters.blocks = counters.threads / 256;
  counters.warpInstructions = 16 * counters.warps;
  counters.integer = 10 * counters.warps, counters.fp32 = counters.warps;
  counters.loadStore = 3 * counters.warps;
  counters.globalLoads = 2 * counters.warps, counters.globalStores = counters.warps;
  counters.globalLoadSectors = 8 * counters.warps, counters.globalStoreSectors = 4 * counters.warps;
  counters.distinctSectors = 12 * counters.warps;
  counters.flops = counters.threads;
  return counters;
}

/// A loop of fused multiply-adds on registers.
static KernelCounters fmaLoop() {
  KernelCounters counters;
  counters.launches = 1;
  counters.threads = 1 << 22, counters.warps = counters.threads / 32;
  counters.blocks = counters.threads / 256;
  counters.warpInstructions = 4400 * counters.warps;
  counters.fp32 = 4096 * counters.warps, counters.integer = 200 * counters.warps;
  counters.flops = 2 * 4096 * counters.threads;
  return counters;
}

static void oneQueueAgainstClosedForm() {
  // One centre, no latency: throughput is 1/D whatever n; with Z and n = 1 it is 1/(Z+D).
  Population population;
  population.task.demand[kIssueSlots] = 2;
  population.warpsPerSm = 8;
  CHECK_NEAR(solve({population})[0].warpTasksPerCycle, 0.5, 1e-6);
  population.task.latency = 6;
  population.warpsPerSm = 1;
  CHECK_NEAR(solve({population})[0].warpTasksPerCycle, 0.125, 1e-6);
}

static void sharedCentreCountsEverySm() {
  Population population;
  population.task.demand[kDramBandwidth] = 1;
  population.warpsPerSm = 4;
  population.sms = 10;
  CHECK_NEAR(solve({population})[0].warpTasksPerCycle, 0.1, 1e-6); // a tenth of one server
}

static void otherGroupsOnlyMeetAtSharedCentres() {
  Population here, there;
  here.task.demand[kIssueSlots] = there.task.demand[kIssueSlots] = 1;
  here.warpsPerSm = there.warpsPerSm = 16;
  there.group = 1;
  CHECK_NEAR(solve({here, there})[0].warpTasksPerCycle, 1.0, 1e-6);
  there.group = 0;
  CHECK_NEAR(solve({here, there})[0].warpTasksPerCycle, 0.5, 1e-3);
}

static void vecaddIsMemoryAndSaturatesEarly() {
  DynamicProfile profile;
  profile.counters = vecadd();
  fillModelled(profile, h200(), 8);
  CHECK(profile.kernelClass == KernelClass::Memory);
  CHECK_EQUAL(profile.budgetCurve.size(), 8u);
  CHECK_NEAR(profile.budgetCurve[0], 0.34, 0.08); // 8.3: .34 .68 .98 1
  CHECK_NEAR(profile.budgetCurve[1], 0.68, 0.12);
  CHECK(profile.saturationBlocksPerSm >= 3 && profile.saturationBlocksPerSm <= 4);
  CHECK(profile.dramGbPerSecond > 3500 && profile.dramGbPerSecond <= 0.92 * 4800 + 1);
  CHECK(profile.gflops < 1000);
}

static void fmaLoopIsComputeWithManyEligibleWarps() {
  DynamicProfile profile;
  profile.counters = fmaLoop();
  fillModelled(profile, h200(), 8);
  CHECK(profile.kernelClass == KernelClass::Compute);
  CHECK(profile.eligibleWarpsPerCycle > 4);
  CHECK_NEAR(profile.dramGbPerSecond, 0, 1e-9);
  CHECK(profile.gflops > 20'000 && profile.gflops < 67'000);
}

static void computeBesideMemoryGainsMemoryBesideMemoryDoesNot() {
  DeviceDescription device = h200();
  KernelDemand memory = kernelDemand(vecadd(), device), compute = kernelDemand(fmaLoop(), device);
  std::vector<double> mixed = normalisedProgress({{compute, 4, 8}, {memory, 4, 8}}, device);
  std::vector<double> same = normalisedProgress({{memory, 4, 8}, {memory, 4, 8}}, device);
  CHECK(mixed[0] + mixed[1] > 1.4);
  CHECK(same[0] + same[1] < 1.1);
}

static void nothingCountedGivesNothing() {
  DynamicProfile profile;
  fillModelled(profile, h200(), 8);
  CHECK(profile.kernelClass == KernelClass::Unknown);
  CHECK_EQUAL(profile.saturationBlocksPerSm, 0u);
  CHECK_EQUAL(profile.timeUs, 0.0);
}

int main() {
  oneQueueAgainstClosedForm();
  sharedCentreCountsEverySm();
  otherGroupsOnlyMeetAtSharedCentres();
  vecaddIsMemoryAndSaturatesEarly();
  fmaLoopIsComputeWithManyEligibleWarps();
  computeBesideMemoryGainsMemoryBesideMemoryDoesNot();
  nothingCountedGivesNothing();
  return checkResult();
}
