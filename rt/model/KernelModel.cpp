// KernelModel.cpp - counters to demands, network to estimates.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters give hits where the caches have room; CoRunModel.cpp takes away what residents take
// from each other. Cycles are SM cycles. A pipe with L lanes takes 32 / L cycles per warp
// instruction. Rates the description does not know (0) make no centre.
#include "rt/model/KernelModel.h"

#include "rt/saturation/Classifier.h"
#include "rt/saturation/SaturationPoint.h"

#include <algorithm>
#include <map>

namespace gpusched {
namespace {

constexpr double kWarp = 32;
constexpr double kSectorBytes = 32, kSectorsPerTransaction = 4;
constexpr double kMega = 1e6, kGiga = 1e9;

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}
double pipe(double instructions, uint32_t lanes) {
  return ratio(instructions * kWarp, lanes);
}

/// Where global accesses of the kernel are served when the caches have room.
struct Locality {
  double sectors = 0;            // per warp
  double pastL1 = 0, pastL2 = 0; // sectors per warp
  double footprint = 0;          // bytes of one launch
};

Locality locality(const KernelCounters& counters, const ModelAssumptions& assumptions) {
  double warps = double(counters.warps);
  double all = double(counters.globalLoadSectors + counters.globalStoreSectors +
                      counters.globalAtomicSectors + counters.localSectors);
  // Without a count of distinct sectors nothing is known to be reused.
  double distinct =
      counters.distinctSectors ? std::min(double(counters.distinctSectors), all) : all;
  double repeated = all - distinct;
  double missL1 = repeated * (1 - assumptions.l1HitOfReuse);
  double footprint =
      ratio(distinct * kSectorBytes, double(std::max<uint64_t>(1, counters.launches)));
  return {ratio(all, warps), ratio(distinct + missL1, warps), ratio(distinct, warps), footprint};
}

double bytesPerCycle(double gbPerSecond, const DeviceDescription& device) {
  return ratio(gbPerSecond * kGiga, device.clockMhz * kMega);
}

void addServiceDemands(KernelDemand& demand, const KernelCounters& counters,
                       const DeviceDescription& device, const Locality& where,
                       const ModelAssumptions& assumptions) {
  double warps = double(counters.warps);
  std::array<double, kCentres>& service = demand.task.demand;
  service[kIssueSlots] = ratio(ratio(counters.warpInstructions, warps), device.schedulersPerSm);
  service[kFp32Pipe] = pipe(ratio(counters.fp32 + counters.fp16, warps), device.fp32LanesPerSm);
  service[kInt32Pipe] = pipe(ratio(counters.integer, warps), device.int32LanesPerSm);
  service[kFp64Pipe] = pipe(ratio(counters.fp64, warps), device.fp64LanesPerSm);
  service[kSfuPipe] = pipe(ratio(counters.sfu + counters.conversion, warps), device.sfuLanesPerSm);
  service[kLoadStorePipe] = demand.l1Transactions + ratio(counters.sharedPasses, warps);
  service[kL2Bandwidth] =
      ratio(where.pastL1 * kSectorBytes, bytesPerCycle(device.l2GbPerSecond, device));
  service[kDramBandwidth] = ratio(demand.dramBytes, bytesPerCycle(device.dramGbPerSecond, device) *
                                                        device.dramEfficiency);
  service[kDispatcher] = ratio(assumptions.dispatchCycles, demand.warpsPerBlock);
}

/// How often a warp waits for global memory: loads come in groups, and a barrier ends a group.
double memoryEpochs(const KernelCounters& counters, const ModelAssumptions& assumptions) {
  double warps = double(counters.warps);
  double loads = ratio(counters.globalLoads + counters.atomic, warps);
  double barriers = ratio(counters.barrier, warps);
  double groups = std::max(loads / assumptions.loadsInFlight, std::min(loads, barriers / 2));
  return loads > 0 ? std::max(1.0, groups) : 0;
}

void addLatencies(KernelDemand& demand, const KernelCounters& counters,
                  const DeviceDescription& device, const Locality& where,
                  const ModelAssumptions& assumptions) {
  double warps = double(counters.warps);
  double arithmetic = ratio(double(counters.warpInstructions) - double(counters.loadStore) -
                                double(counters.atomic) - double(counters.barrier),
                            warps);
  double epochs = memoryEpochs(counters, assumptions);
  double fromL1 = 1 - ratio(where.pastL1, where.sectors);
  double fromDram = ratio(where.pastL2, where.sectors);
  double fromL2 = std::max(0.0, 1 - fromL1 - fromDram);
  double instructions = ratio(double(counters.warpInstructions), warps);
  // An instruction holds its warp for a cycle, of which the issue slot serves its share.
  demand.readyLatency = instructions * (1 - ratio(1, device.schedulersPerSm));
  demand.fetchLatency = instructions * assumptions.fetchCycles;
  demand.otherLatency = assumptions.blockStartCycles;
  demand.aluLatency = std::max(0.0, std::max(0.0, arithmetic) * device.aluLatency /
                                            assumptions.instructionsInFlight -
                                        demand.readyLatency);
  demand.l1Latency = epochs * fromL1 * device.l1Latency;
  demand.aluLatency += ratio(counters.sharedAccesses, warps) * device.sharedLatency /
                       (assumptions.instructionsInFlight * assumptions.loadsInFlight);
  demand.memoryLatency = epochs * (fromL2 * device.l2Latency + fromDram * device.dramLatency);
  demand.syncLatency = ratio(counters.barrier, warps) * assumptions.barrierCycles;
  demand.task.latency = demand.aluLatency + demand.l1Latency + demand.memoryLatency +
                        demand.syncLatency + demand.fetchLatency + demand.otherLatency +
                        demand.readyLatency;
}

void addCaches(KernelDemand& demand, const Locality& where) {
  constexpr double kMostHits = 0.98;
  demand.l1.hits = std::clamp(1 - ratio(where.pastL1, where.sectors), 0.0, kMostHits);
  demand.l1.bytesPerWarp = where.pastL2 * kSectorBytes;
  demand.l2.hits = std::clamp(1 - ratio(where.pastL2, where.pastL1), 0.0, kMostHits);
  demand.l2.bytes = where.footprint;
}

void fillStalls(KernelEstimate& estimate, const KernelDemand& demand,
                const PopulationResult& result) {
  const std::array<double, kCentres>& inside = result.residence;
  double pipes = 0;
  for (size_t centre : {kFp32Pipe, kInt32Pipe, kFp64Pipe, kSfuPipe})
    pipes += inside[centre];
  double queued = inside[kIssueSlots] - demand.task.demand[kIssueSlots];
  double memory = demand.memoryLatency + inside[kL2Bandwidth] + inside[kDramBandwidth];
  double texture = demand.l1Latency + inside[kLoadStorePipe];
  double other = demand.otherLatency + pipes + inside[kDispatcher] +
                 std::max(0.0, queued) * (1 - demand.eligibleShare);
  double all =
      demand.aluLatency + memory + texture + demand.syncLatency + demand.fetchLatency + other;
  estimate.stallExecution = 100 * ratio(demand.aluLatency, all);
  estimate.stallMemory = 100 * ratio(memory, all);
  estimate.stallTexture = 100 * ratio(texture, all);
  estimate.stallSync = 100 * ratio(demand.syncLatency, all);
  estimate.stallFetch = 100 * ratio(demand.fetchLatency, all);
  estimate.stallOther = 100 * ratio(other, all);
}

} // namespace

KernelDemand kernelDemand(const KernelCounters& counters, const DeviceDescription& device,
                          const ModelAssumptions& assumptions) {
  KernelDemand demand;
  double warps = double(counters.warps);
  Locality where = locality(counters, assumptions);
  demand.warpsPerBlock = ratio(warps, double(counters.blocks));
  demand.blocks = ratio(double(counters.blocks), double(std::max<uint64_t>(1, counters.launches)));
  demand.dramBytes = where.pastL2 * kSectorBytes;
  demand.flops = ratio(double(counters.flops), warps);
  demand.l1Transactions = where.sectors / kSectorsPerTransaction;
  addServiceDemands(demand, counters, device, where, assumptions);
  addLatencies(demand, counters, device, where, assumptions);
  addCaches(demand, where);
  demand.eligibleShare = assumptions.eligibleShare;
  return demand;
}

KernelEstimate estimate(const KernelDemand& demand, const DeviceDescription& device,
                        uint32_t blocksPerSm, const ModelAssumptions& assumptions) {
  KernelEstimate out;
  const Resident resident = residentAlone(demand, device, blocksPerSm);
  PopulationResult result = solveTogether({resident}, device, assumptions).front();
  double perCycle = result.warpTasksPerCycle * resident.sms; // warp-tasks, whole device
  if (perCycle <= 0 || device.clockMhz <= 0)
    return out;
  double cycles = demand.blocks * demand.warpsPerBlock / perCycle + assumptions.launchCycles;
  out.timeUs = cycles / device.clockMhz;
  double warpsPerSecond = demand.blocks * demand.warpsPerBlock / out.timeUs * 1e6;
  out.dramGbPerSecond = warpsPerSecond * demand.dramBytes / kGiga;
  out.gflops = warpsPerSecond * demand.flops / kGiga;
  out.l1TransactionsPerSecond = warpsPerSecond * demand.l1Transactions;
  for (size_t centre = 0; centre < kResources; ++centre)
    out.utilisation[centre] = std::min(1.0, (sharedByAllSms(centre) ? resident.sms : 1) *
                                                result.warpTasksPerCycle * result.demand[centre]);
  out.eligibleWarpsPerCycle = eligibleWarps(demand, result);
  fillStalls(out, demand, result);
  return out;
}

std::vector<double> normalisedProgress(const std::vector<CoRunner>& runners,
                                       const DeviceDescription& device) {
  std::vector<Resident> together;
  for (const CoRunner& runner : runners)
    together.push_back(residentAlone(runner.demand, device, runner.blocksPerSm));
  std::vector<PopulationResult> results = solveTogether(together, device);
  std::vector<double> progress;
  for (size_t i = 0; i < runners.size(); ++i) {
    Resident alone = residentAlone(runners[i].demand, device, runners[i].aloneBlocksPerSm);
    progress.push_back(ratio(results[i].warpTasksPerCycle,
                             solveTogether({alone}, device).front().warpTasksPerCycle));
  }
  return progress;
}

void fillModelled(DynamicProfile& profile, const DeviceDescription& device,
                  uint32_t occupancyBlocksPerSm) {
  KernelDemand demand = kernelDemand(profile.counters, device);
  KernelEstimate full = estimate(demand, device, occupancyBlocksPerSm);
  profile.device = device.name;
  profile.blocks = uint64_t(demand.blocks);
  profile.timeUs = full.timeUs;
  profile.eligibleWarpsPerCycle = full.eligibleWarpsPerCycle;
  profile.dramGbPerSecond = full.dramGbPerSecond;
  profile.gflops = full.gflops;
  profile.l1TransactionsPerSecond = full.l1TransactionsPerSecond;
  profile.stallExecution = full.stallExecution;
  profile.stallMemory = full.stallMemory;
  profile.stallSync = full.stallSync;
  profile.stallTexture = full.stallTexture;
  profile.stallFetch = full.stallFetch;
  profile.stallOther = full.stallOther;
  profile.utilisation = full.utilisation;
  profile.l1Hits = demand.l1.hits;
  profile.l2Hits = demand.l2.hits;
  profile.l1BytesPerWarp = demand.l1.bytesPerWarp;
  std::map<uint32_t, double> times;
  for (uint32_t blocks = 1; blocks <= occupancyBlocksPerSm; ++blocks)
    if (double time = estimate(demand, device, blocks).timeUs; time > 0)
      times[blocks] = time;
  profile.budgetCurve = performanceCurve(times);
  profile.saturationBlocksPerSm = saturationPoint(profile.budgetCurve);
  profile.kernelClass = classify(profile);
}

} // namespace gpusched
