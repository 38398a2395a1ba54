// CoRunModel.cpp - what residents of the same SMs and device do to each other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three effects around the queueing network of QueueNetwork.h:
//   L1    the working sets of all warps on an SM share its capacity; hits shrink in proportion
//         (uniform reuse under LRU), misses go on to L2
//   L2    the same over the device, misses go on to DRAM
//   rows  mixed streams lose DRAM row hits: D_dram grows by rowLoss * 2 (1 - sum share^2), which
//         is rowLoss for two equal streams and 0 for one (the form of HSM, ASPLOS 2020)
// The shares depend on the rates, so the network is solved a few times. Pure.
#include "rt/model/KernelModel.h"

#include <algorithm>
#include <map>

namespace gpusched {
namespace {

constexpr int kPasses = 3;

double warps(const Resident& resident) {
  return resident.blocksPerSm * resident.demand->warpsPerBlock;
}

double kept(double capacity, double wanted) {
  return capacity > 0 && wanted > capacity ? capacity / wanted : 1;
}

/// How much of the wanted lines L1 keeps, by group.
std::map<uint32_t, double> keptInL1(const std::vector<Resident>& residents,
                                    const DeviceDescription& device) {
  std::map<uint32_t, double> wanted;
  for (const Resident& resident : residents)
    wanted[resident.group] +=
        resident.demand->l1.bytes + warps(resident) * resident.demand->l1.bytesPerWarp;
  for (auto& [group, bytes] : wanted)
    bytes = kept(double(device.l1Bytes), bytes);
  return wanted;
}

double keptInL2(const std::vector<Resident>& residents, const DeviceDescription& device) {
  double wanted = 0;
  std::vector<const KernelDemand*> seen;
  for (const Resident& resident : residents) {
    wanted += warps(resident) * resident.sms * resident.demand->l2.bytesPerWarp;
    if (std::find(seen.begin(), seen.end(), resident.demand) == seen.end())
      wanted += resident.demand->l2.bytes;
    seen.push_back(resident.demand);
  }
  return kept(double(device.l2Bytes), wanted);
}

std::vector<Population> populationsOf(const std::vector<Resident>& residents,
                                      const DeviceDescription& device) {
  std::map<uint32_t, double> l1 = keptInL1(residents, device);
  double l2 = keptInL2(residents, device);
  std::vector<Population> populations;
  for (const Resident& resident : residents) {
    const KernelDemand& demand = *resident.demand;
    Population population{demand.task, warps(resident), resident.sms, resident.group};
    population.task.latency = demand.latencyAt(resident.blocksPerSm);
    double pastL1 = demand.l1.missGrowth(l1[resident.group]);
    population.task.latency += demand.memoryLatency * (pastL1 - 1);
    population.task.demand[kL2Bandwidth] *= pastL1;
    population.task.demand[kDramBandwidth] *= pastL1 * demand.l2.missGrowth(l2);
    populations.push_back(population);
  }
  return populations;
}

/// 1 - sum of squared shares of the DRAM traffic, by kernel.
double mixing(const std::vector<Resident>& residents,
              const std::vector<PopulationResult>& results) {
  std::map<const KernelDemand*, double> traffic;
  double all = 0;
  for (size_t i = 0; i < residents.size(); ++i) {
    double part =
        results[i].warpTasksPerCycle * residents[i].sms * results[i].demand[kDramBandwidth];
    traffic[residents[i].demand] += part;
    all += part;
  }
  double squares = 0;
  for (const auto& [demand, part] : traffic)
    squares += all > 0 ? part / all * (part / all) : 1;
  return all > 0 ? 1 - squares : 0;
}

} // namespace

double KernelDemand::latencyAt(double blocksPerSm) const {
  if (latencyByBlocks.empty())
    return task.latency;
  const double at = std::clamp(blocksPerSm, 1.0, double(latencyByBlocks.size()));
  const size_t below = size_t(at), above = std::min(below + 1, latencyByBlocks.size());
  const double part = at - double(below);
  return (1 - part) * latencyByBlocks[below - 1] + part * latencyByBlocks[above - 1];
}

std::vector<PopulationResult> solveTogether(const std::vector<Resident>& residents,
                                            const DeviceDescription& device,
                                            const ModelAssumptions& assumptions) {
  const std::vector<Population> populations = populationsOf(residents, device);
  std::vector<PopulationResult> results = solve(populations);
  for (int pass = 1; pass < kPasses && residents.size() > 1; ++pass) {
    double growth = 1 + assumptions.rowLoss * 2 * mixing(residents, results);
    std::vector<Population> mixed = populations;
    for (Population& population : mixed)
      population.task.demand[kDramBandwidth] *= growth;
    results = solve(mixed);
  }
  return results;
}

Resident residentAlone(const KernelDemand& demand, const DeviceDescription& device,
                       double blocksPerSm) {
  const double sms = std::clamp(demand.blocks, 0.0, double(device.sms));
  return {&demand, sms > 0 ? std::min(blocksPerSm, demand.blocks / sms) : 0, sms, 0};
}

double eligibleWarps(const KernelDemand& demand, const PopulationResult& result) {
  double busy = result.warpTasksPerCycle * result.demand[kIssueSlots];
  return busy + demand.eligibleShare * std::max(0.0, result.queue[kIssueSlots] - busy) +
         result.warpTasksPerCycle * demand.readyLatency;
}

} // namespace gpusched
