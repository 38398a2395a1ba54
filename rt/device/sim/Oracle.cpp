// Oracle.cpp - every budget, every pair, every division.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/sim/Oracle.h"

#include "rt/policy/Partition.h"

#include <algorithm>
#include <limits>

namespace gpusched::sim {

const Oracle::Best& Oracle::alone(size_t kernel) {
  auto [entry, isNew] = known_.try_emplace(uint64_t(kernel) << 32 | 0xffffffff);
  if (!isNew)
    return entry->second;
  Best best{sim_.aloneUs(kernel), {0}};
  for (uint32_t b = 1; b <= sim_.kernels()[kernel].known.occupancyBlocksPerSm; ++b)
    if (double time = sim_.aloneUs(kernel, b); time < best.timeUs)
      best = {time, {b}};
  return entry->second = best;
}

const Oracle::Best& Oracle::together(size_t first, size_t second) {
  uint32_t aloneFirst = alone(first).budgets[0], aloneSecond = alone(second).budgets[0];
  auto [entry, isNew] = known_.try_emplace(uint64_t(first) << 32 | second);
  if (!isNew)
    return entry->second;
  const PolicyKernel& a = sim_.kernels()[first].known;
  const PolicyKernel& b = sim_.kernels()[second].known;
  Best best{std::numeric_limits<double>::infinity(), {}};
  auto raised = [](uint32_t alone, const PolicyKernel& kernel) {
    return alone ? alone : kernel.occupancyBlocksPerSm;
  };
  for (uint32_t i = 1; i <= a.occupancyBlocksPerSm; ++i)
    for (uint32_t j = 1; j <= b.occupancyBlocksPerSm; ++j) {
      if (!fitsTogether({&a, &b}, {i, j}, sim_.limits()))
        break;
      CoRunSet set = {
          {.kernel = 0, .blocksPerSm = i, .blocksPerSmAlone = raised(aloneFirst, a)},
          {.kernel = 1, .blocksPerSm = j, .lane = 1, .blocksPerSmAlone = raised(aloneSecond, b)}};
      Run run = sim_.runPlan({{first, 0, 0}, {second, 0, 0}}, {set});
      double slowdown = std::max(run.jobs[0].endUs / sim_.aloneUs(first),
                                 run.jobs[1].endUs / sim_.aloneUs(second));
      if (run.makespanUs < best.timeUs && slowdown <= maxSlowdown_)
        best = {run.makespanUs, {i, j}};
    }
  return entry->second = best;
}

Result<double> Oracle::bestTimeUs(const std::vector<size_t>& kernels) {
  if (kernels.size() > kOracleKernels)
    return Status::error("the oracle tries everything: at most " + std::to_string(kOracleKernels) +
                         " kernels, got " + std::to_string(kernels.size()));
  std::vector<double> least(size_t(1) << kernels.size(), std::numeric_limits<double>::infinity());
  least[0] = 0;
  for (size_t set = 0; set + 1 < least.size(); ++set) {
    size_t i = 0; // the first kernel not yet in the set: alone, or with one of the others
    while (set >> i & 1)
      ++i;
    size_t with = set | size_t(1) << i;
    least[with] = std::min(least[with], least[set] + alone(kernels[i]).timeUs);
    for (size_t j = i + 1; j < kernels.size(); ++j) {
      if (set >> j & 1)
        continue;
      size_t both = with | size_t(1) << j;
      least[both] = std::min(least[both], least[set] + together(kernels[i], kernels[j]).timeUs);
    }
  }
  return least.back();
}

} // namespace gpusched::sim
