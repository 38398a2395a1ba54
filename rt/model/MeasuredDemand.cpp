// MeasuredDemand.cpp - the steps of MeasuredDemand.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/model/MeasuredDemand.h"

#include "rt/saturation/BlockTimes.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>

namespace gpusched {
namespace {

constexpr double kWarp = 32, kGiga = 1e9;
constexpr double kMostBusy = 1 - 1e-6; // a queue in balance is never full
constexpr double kMostHits = 0.98;
constexpr double kLeastSpeed = 1e-6; // of a curve
constexpr int kHalvings = 30;        // of a latency, to 1e-9 of a warp-task

/// One measured run: SMs with work, warps on each, their rate, and cycles of a warp-task by stall
/// reason.
struct Measured {
  double warps = 0, rate = 0, sms = 1;
  double execution = 0, fetch = 0, memory = 0, sync = 0, texture = 0, other = 0, ready = 0;

  /// Cycles at a resource with busy share `busy`, waiting included.
  double residence(size_t resource, double busy) const {
    double customers = sharedByAllSms(resource) ? warps * sms : warps;
    double seen = std::max(0.0, 1 - 1 / customers);
    return service(resource, busy) / (1 - busy * seen);
  }
  double service(size_t resource, double busy) const {
    return busy / (sharedByAllSms(resource) ? rate * sms : rate);
  }
};

Measured measuredRun(const DynamicProfile& profile, const DeviceDescription& device,
                     const KernelDemand& demand, double blocksPerSm) {
  Measured run;
  const Resident resident = residentAlone(demand, device, blocksPerSm);
  run.sms = resident.sms;
  run.warps = resident.blocksPerSm * demand.warpsPerBlock;
  double cycles = profile.timeUs * device.clockMhz;
  run.rate = demand.blocks * demand.warpsPerBlock / (cycles * run.sms);
  double listed = profile.stallExecution + profile.stallFetch + profile.stallMemory +
                  profile.stallSync + profile.stallTexture + profile.stallOther;
  double eligible = std::min(profile.eligibleWarpsPerCycle, 0.9 * run.warps);
  double perPercent = (run.warps - eligible) / run.rate / std::max(100.0, listed);
  run.execution = profile.stallExecution * perPercent;
  run.fetch = profile.stallFetch * perPercent;
  run.memory = profile.stallMemory * perPercent;
  run.sync = profile.stallSync * perPercent;
  run.texture = profile.stallTexture * perPercent;
  run.other = (profile.stallOther + std::max(0.0, 100 - listed)) * perPercent; // not in the table
  run.ready = eligible / run.rate;
  return run;
}

using Resources = std::initializer_list<size_t>;

double residenceAll(const Measured& run, const Utilisation& busy, Resources resources) {
  double sum = 0;
  for (size_t resource : resources)
    sum += run.residence(resource, busy[resource]);
  return sum;
}

/// Lowers the busy shares until their waiting fits into `cycles`.
void fitInto(double cycles, const Measured& run, Utilisation& busy, Resources resources) {
  while (residenceAll(run, busy, resources) > cycles)
    for (size_t resource : resources)
      busy[resource] = busy[resource] > 1e-6 ? busy[resource] * 0.998 : 0;
}

/// Takes `cycles` from the first reason, then from the second.
void takeFrom(double cycles, double& first, double& second) {
  double fromFirst = std::min(first, cycles);
  first -= fromFirst;
  second = std::max(0.0, second - (cycles - fromFirst));
}

Utilisation busyShares(const DynamicProfile& profile, const DeviceDescription& device) {
  Utilisation busy = profile.utilisation;
  if (busy[kIssueSlots] <= 0)
    busy[kIssueSlots] =
        issueRateOf(profile.eligibleWarpsPerCycle, device.schedulersPerSm) / device.schedulersPerSm;
  if (busy[kDramBandwidth] <= 0 && device.dramGbPerSecond > 0)
    busy[kDramBandwidth] =
        profile.dramGbPerSecond / (device.dramGbPerSecond * device.dramEfficiency);
  for (double& share : busy)
    share = std::clamp(share, 0.0, kMostBusy);
  return busy;
}

/// What is left of each reason's cycles once the queues are taken out.
void fillLatencies(KernelDemand& demand, Measured run, Utilisation& busy) {
  fitInto(run.ready, run, busy, {kIssueSlots});
  fitInto(run.execution + run.other, run, busy, {kFp32Pipe, kInt32Pipe, kFp64Pipe, kSfuPipe});
  fitInto(run.memory, run, busy, {kDramBandwidth, kL2Bandwidth});
  fitInto(run.texture + run.other, run, busy, {kLoadStorePipe});
  run.ready -= residenceAll(run, busy, {kIssueSlots});
  takeFrom(residenceAll(run, busy, {kFp32Pipe, kInt32Pipe, kFp64Pipe, kSfuPipe}), run.execution,
           run.other);
  run.memory -= residenceAll(run, busy, {kDramBandwidth, kL2Bandwidth});
  takeFrom(residenceAll(run, busy, {kLoadStorePipe}), run.texture, run.other);
  demand.aluLatency = run.execution;
  demand.fetchLatency = run.fetch;
  demand.memoryLatency = run.memory;
  demand.syncLatency = run.sync;
  demand.l1Latency = run.texture;
  demand.otherLatency = run.other;
  demand.readyLatency = run.ready;
  demand.task.latency =
      run.execution + run.fetch + run.memory + run.sync + run.texture + run.other + run.ready;
}

/// Z with which a block takes so many cycles at a budget: speed falls as Z grows, so halving finds
/// it.
double latencyFor(double blockCycles, KernelDemand demand, uint32_t blocks,
                  const DeviceDescription& device, const ModelAssumptions& assumptions) {
  const Resident alone = residentAlone(demand, device, blocks);
  const double speed = alone.blocksPerSm * demand.warpsPerBlock / blockCycles;
  double least = 0, most = blockCycles;
  for (int step = 0; step < kHalvings; ++step) {
    demand.task.latency = (least + most) / 2;
    const PopulationResult run = solveTogether({alone}, device, assumptions).front();
    (run.warpTasksPerCycle > speed ? least : most) = demand.task.latency;
  }
  return (least + most) / 2;
}

/// The measured misses include the kernel's own contention; demands are without.
void fillCaches(KernelDemand& demand, const DynamicProfile& profile,
                const DeviceDescription& device, double warpsPerSm, double sms) {
  auto kept = [](double capacity, double wanted) {
    return capacity > 0 && wanted > capacity ? capacity / wanted : 1;
  };
  demand.l1 = {0, 0, profile.l1BytesPerWarp};
  demand.l2 = {0, 0, profile.l2BytesPerWarp};
  double keptL1 = kept(double(device.l1Bytes), warpsPerSm * demand.l1.bytesPerWarp);
  double keptL2 = kept(double(device.l2Bytes), warpsPerSm * sms * demand.l2.bytesPerWarp);
  demand.l1.hits = std::min(kMostHits, profile.l1Hits / keptL1);
  demand.l2.hits = std::min(kMostHits, profile.l2Hits / keptL2);
  double growth = demand.l1.missGrowth(keptL1);
  demand.task.latency -= demand.memoryLatency * (1 - 1 / growth);
  demand.memoryLatency /= growth;
  demand.task.demand[kL2Bandwidth] /= growth;
  demand.task.demand[kDramBandwidth] /= growth * demand.l2.missGrowth(keptL2);
}

} // namespace

void followCurve(KernelDemand& demand, const DynamicProfile& profile,
                 const DeviceDescription& device, uint32_t blocksPerSm,
                 const ModelAssumptions& assumptions) {
  const std::vector<double>& curve = profile.budgetCurve;
  const size_t last = std::min<size_t>(blocksPerSm, curve.size());
  if (last == 0 || profile.timeUs <= 0 || device.sms == 0)
    return;
  const double launchUs = assumptions.launchCycles / device.clockMhz;
  std::map<uint32_t, double> times;
  for (uint32_t blocks = 1; blocks <= last; ++blocks) {
    const double us = profile.timeUs * curve[last - 1] / std::max(curve[blocks - 1], kLeastSpeed);
    times[blocks] = std::max(us - launchUs, us / 2);
  }
  const BlockTimes blockUs(times, demand.blocks / device.sms);
  std::vector<double> latencies;
  for (uint32_t blocks = 1; blocks <= last; ++blocks)
    latencies.push_back(
        latencyFor(blockUs.ofBlock(blocks) * device.clockMhz, demand, blocks, device, assumptions));
  demand.latencyByBlocks = std::move(latencies);
}

double issueRateOf(double eligibleWarpsPerCycle, uint32_t schedulers) {
  return schedulers ? schedulers * (1 - std::exp(-eligibleWarpsPerCycle / schedulers)) : 0;
}

Result<KernelDemand> measuredDemand(const DynamicProfile& profile, const DeviceDescription& device,
                                    uint32_t blocksPerSm) {
  if (profile.timeUs <= 0 || profile.blocks == 0 || profile.threadsPerBlock == 0)
    return Status::error("the profile has no time, number of blocks or threads per block");
  if (blocksPerSm == 0)
    return Status::error("no block of it fits on an SM of " + device.name);
  KernelDemand demand;
  demand.blocks = double(profile.blocks);
  demand.warpsPerBlock = std::ceil(profile.threadsPerBlock / kWarp);
  Measured run = measuredRun(profile, device, demand, blocksPerSm);
  Utilisation busy = busyShares(profile, device);
  fillLatencies(demand, run, busy);
  for (size_t resource = 0; resource < kResources; ++resource)
    demand.task.demand[resource] = run.service(resource, busy[resource]);
  double warpsPerSecond = run.rate * run.sms * device.clockMhz * 1e6;
  demand.dramBytes = profile.dramGbPerSecond * kGiga / warpsPerSecond;
  demand.flops = profile.gflops * kGiga / warpsPerSecond;
  demand.l1Transactions = profile.l1TransactionsPerSecond / warpsPerSecond;
  fillCaches(demand, profile, device, run.warps, run.sms);
  return demand;
}

} // namespace gpusched
