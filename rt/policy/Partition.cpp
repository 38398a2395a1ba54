// Partition.cpp - fits, curves and water-filling.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/Partition.h"

#include <algorithm>

namespace gpusched {
namespace {

bool within(uint64_t taken, uint64_t limit) {
  return limit == 0 || taken <= limit;
}

uint32_t partOf(double share, uint64_t limit, uint64_t each, uint32_t most) {
  if (limit == 0 || each == 0)
    return most;
  return uint32_t(std::min<double>(most, share * double(limit) / double(each)));
}

/// The fewest blocks above `from` with more performance; 0 when there are none.
uint32_t nextBetter(const PolicyKernel& kernel, uint32_t from) {
  double now = performanceAt(kernel, from);
  for (uint32_t blocks = from + 1; blocks <= kernel.occupancyBlocksPerSm; ++blocks)
    if (performanceAt(kernel, blocks) > now)
      return blocks;
  return 0;
}

} // namespace

double performanceAt(const PolicyKernel& kernel, uint32_t blocks) {
  if (kernel.budgetCurve.empty())
    return kernel.budget() ? std::min(1.0, double(blocks) / kernel.budget()) : 0;
  return blocks ? kernel.budgetCurve[std::min<size_t>(blocks, kernel.budgetCurve.size()) - 1] : 0;
}

uint32_t blocksInShare(const PolicyKernel& kernel, const DeviceLimits& limits, double share) {
  uint32_t blocks = kernel.occupancyBlocksPerSm;
  blocks = partOf(share, limits.registersPerSm, kernel.registersPerBlock, blocks);
  blocks = partOf(share, limits.sharedBytesPerSm, kernel.sharedBytesPerBlock, blocks);
  blocks = partOf(share, limits.threadsPerSm, kernel.threadsPerBlock, blocks);
  return partOf(share, limits.blocksPerSm, 1, blocks);
}

bool fitsOnSm(const Demand& sum, const DeviceLimits& limits) {
  return within(sum.registers, limits.registersPerSm) &&
         within(sum.sharedBytes, limits.sharedBytesPerSm) &&
         within(sum.blocks, limits.blocksPerSm) && within(sum.threads, limits.threadsPerSm);
}

bool fitsTogether(const KernelList& kernels, const Budgets& budgets, const DeviceLimits& limits) {
  Demand sum;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (budgets[i] > kernels[i]->occupancyBlocksPerSm)
      return false;
    sum.add(Demand::ofBlocks(*kernels[i], budgets[i]));
  }
  return fitsOnSm(sum, limits);
}

Budgets waterFill(const KernelList& kernels, const DeviceLimits& limits) {
  Budgets budgets(kernels.size(), 1);
  if (!fitsTogether(kernels, budgets, limits))
    return {};
  std::vector<bool> full(kernels.size(), false);
  for (;;) {
    size_t lowest = kernels.size();
    for (size_t i = 0; i < kernels.size(); ++i)
      if (!full[i] &&
          (lowest == kernels.size() || performanceAt(*kernels[i], budgets[i]) <
                                           performanceAt(*kernels[lowest], budgets[lowest])))
        lowest = i;
    if (lowest == kernels.size())
      return budgets;
    Budgets more = budgets;
    more[lowest] = nextBetter(*kernels[lowest], budgets[lowest]);
    if (more[lowest] != 0 && fitsTogether(kernels, more, limits))
      budgets = more;
    else
      full[lowest] = true;
  }
}

Decision inLanes(const PolicyState& state, const WaitingKernel& waiting, size_t together) {
  Decision decision;
  decision.sequence = waiting.sequence;
  decision.set = waiting.sequence;
  std::vector<uint64_t> earlier;
  for (const RunningKernel& running : state.running)
    earlier.push_back(running.lastSequence);
  std::sort(earlier.begin(), earlier.end());
  if (earlier.size() >= together) {
    decision.action = Action::Wait;
    decision.after = {earlier[earlier.size() - together]};
  }
  return decision;
}

} // namespace gpusched
