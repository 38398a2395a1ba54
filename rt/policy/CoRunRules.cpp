// CoRunRules.cpp - rules 1 to 5, one function each.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device rate of 0 means "not known" and switches that half of rule 2 off.
#include "rt/policy/CoRunRules.h"

#include <cstdio>
#include <utility>

namespace gpusched {
namespace {

std::string exceeds(bool explain, const char* what, double sum, double limit, const char* unit) {
  if (!explain)
    return "no";
  char text[160];
  std::snprintf(text, sizeof text, "%s would be %.6g of %.6g %s", what, sum, limit, unit);
  return text;
}

/// Rule 1.
std::string smRefusal(const Demand& sum, const DeviceLimits& limits, bool explain) {
  if (sum.registers > limits.registersPerSm)
    return exceeds(explain, "rule 1: registers", double(sum.registers),
                   double(limits.registersPerSm), "per SM");
  if (sum.sharedBytes > limits.sharedBytesPerSm)
    return exceeds(explain, "rule 1: shared memory", double(sum.sharedBytes),
                   double(limits.sharedBytesPerSm), "bytes per SM");
  if (sum.blocks > limits.blocksPerSm)
    return exceeds(explain, "rule 1: blocks", double(sum.blocks), limits.blocksPerSm, "per SM");
  if (sum.threads > limits.threadsPerSm)
    return exceeds(explain, "rule 1: threads", double(sum.threads), limits.threadsPerSm, "per SM");
  return "";
}

/// Rule 2.
std::string deviceRefusal(const Demand& sum, const DeviceLimits& limits,
                          const CoRunThresholds& thresholds, bool explain) {
  double bandwidth = limits.dramGbPerSecond * thresholds.bandwidthShare;
  double flops = limits.gflops * thresholds.flopsShare;
  if (bandwidth > 0 && sum.dramGbPerSecond >= bandwidth)
    return exceeds(explain, "rule 2: DRAM traffic", sum.dramGbPerSecond, bandwidth, "GB/s");
  if (flops > 0 && sum.gflops >= flops)
    return exceeds(explain, "rule 2: arithmetic", sum.gflops, flops, "GFLOP/s");
  return "";
}

bool besideL1(const PolicyKernel& first, const PolicyKernel& second,
              const CoRunThresholds& thresholds) {
  return first.kernelClass == KernelClass::L1 &&
         second.l1TransactionsPerSecond > thresholds.l1TransactionsPerSecond;
}

/// Rule 5, its EPC part.
bool bothEager(const PolicyKernel& a, const PolicyKernel& b, const CoRunThresholds& thresholds) {
  if (!thresholds.epcBesideMemory && a.kernelClass != b.kernelClass)
    return false;
  double epcA = a.eligibleWarpsPerCycle, epcB = b.eligibleWarpsPerCycle;
  return (epcA > thresholds.maxEpc && epcB > thresholds.baseEpc) ||
         (epcA > thresholds.baseEpc && epcB > thresholds.maxEpc);
}

const char* pairProblem(const PolicyKernel& first, const PolicyKernel& second,
                        const CoRunThresholds& thresholds) {
  switch (second.kernelClass) {
  case KernelClass::L1:
    return "rule 3: two L1-cache kernels";
  case KernelClass::Memory:
    if (first.kernelClass == KernelClass::Memory)
      return "rule 4: two memory kernels";
    return besideL1(first, second, thresholds)
               ? "rule 4: many L1 transactions beside an L1-cache kernel"
               : nullptr;
  case KernelClass::Compute:
    if (besideL1(first, second, thresholds))
      return "rule 5: many L1 transactions beside an L1-cache kernel";
    return bothEager(first, second, thresholds) ? "rule 5: both have many eligible warps" : nullptr;
  case KernelClass::Unknown:
    break;
  }
  return "a kernel of unknown class runs alone";
}

} // namespace

int classRank(KernelClass kernelClass) {
  switch (kernelClass) {
  case KernelClass::L1:
    return 0;
  case KernelClass::Memory:
    return 1;
  case KernelClass::Compute:
    return 2;
  case KernelClass::Unknown:
    break;
  }
  return 3;
}

Demand Demand::ofBlocks(const PolicyKernel& kernel, uint64_t blocks) {
  return {blocks * kernel.registersPerBlock, blocks * kernel.sharedBytesPerBlock, blocks,
          blocks * kernel.threadsPerBlock};
}

Demand Demand::of(const PolicyKernel& kernel) {
  Demand demand = ofBlocks(kernel, kernel.budget());
  demand.dramGbPerSecond = kernel.dramGbPerSecond;
  demand.gflops = kernel.gflops;
  return demand;
}

void Demand::add(const Demand& other) {
  registers += other.registers;
  sharedBytes += other.sharedBytes;
  blocks += other.blocks;
  threads += other.threads;
  dramGbPerSecond += other.dramGbPerSecond;
  gflops += other.gflops;
}

void Demand::raiseTo(const Demand& other) {
  registers = std::max(registers, other.registers);
  sharedBytes = std::max(sharedBytes, other.sharedBytes);
  blocks = std::max(blocks, other.blocks);
  threads = std::max(threads, other.threads);
  dramGbPerSecond = std::max(dramGbPerSecond, other.dramGbPerSecond);
  gflops = std::max(gflops, other.gflops);
}

std::string resourceRefusal(const Demand& sum, const DeviceLimits& limits,
                            const CoRunThresholds& thresholds, bool explain) {
  std::string refusal = smRefusal(sum, limits, explain);
  return refusal.empty() ? deviceRefusal(sum, limits, thresholds, explain) : refusal;
}

std::string pairRefusal(const PolicyKernel& a, const PolicyKernel& b,
                        const CoRunThresholds& thresholds, bool explain) {
  bool inOrder = classRank(a.kernelClass) <= classRank(b.kernelClass);
  const char* problem = pairProblem(inOrder ? a : b, inOrder ? b : a, thresholds);
  if (!problem)
    return "";
  return explain ? std::string(problem) + " ('" + a.name + "', '" + b.name + "')" : "no";
}

} // namespace gpusched
