// Combination.cpp - combinations by prediction, else by class.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/Combination.h"

#include "rt/policy/PredictionMemo.h"

#include <algorithm>

namespace gpusched {
namespace {

/// compute + memory > compute + compute > memory + memory > a class that is not known. An L1-cache
/// kernel waits for memory.
int classRankOf(const PolicyKernel& a, const PolicyKernel& b) {
  if (a.kernelClass == KernelClass::Unknown || b.kernelClass == KernelClass::Unknown)
    return 0;
  const int compute =
      (a.kernelClass == KernelClass::Compute) + (b.kernelClass == KernelClass::Compute);
  return compute == 1 ? 3 : compute == 2 ? 2 : 1;
}

} // namespace

bool isBetter(const Combination& a, const Combination& b) {
  constexpr double kTie = 1e-6;
  if (a.known() && b.known())
    return a.sum() > b.sum() * (1 + kTie);
  return a.classes > b.classes;
}

Combination combine(const PolicyState& state, const std::vector<const RunningKernel*>& beside,
                    const PolicyKernel& newcomer, const DeviceLimits& limits, const Goal& goal) {
  Combination made;
  Budgets fixed;
  made.classes = beside.empty() ? 0 : 3;
  for (const RunningKernel* running : beside) {
    made.kernels.push_back(running->kernel);
    fixed.push_back(running->blocksPerSm ? 0 : running->kernel->occupancyBlocksPerSm);
    made.classes = std::min(made.classes, classRankOf(*running->kernel, newcomer));
  }
  made.kernels.push_back(&newcomer);
  fixed.push_back(newcomer.takesBudget() ? 0 : newcomer.occupancyBlocksPerSm);
  if (beside.empty() || made.kernels.size() > kMostTogether)
    return made;
  if (std::all_of(fixed.begin(), fixed.end(), [](uint32_t budget) { return budget == 0; }))
    fixed.clear();
  if (!state.memo) {
    made.budgets = bestBudgets(made.kernels, limits, fixed, goal, made.prediction);
    return made;
  }
  const PredictionMemo::Answer& answer = state.memo->bestBudgets(made.kernels, limits, fixed, goal);
  made.budgets = answer.budgets;
  made.prediction = answer.prediction;
  return made;
}

} // namespace gpusched
