// Combination.h - kernels that would run at the same time, and what that is worth.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: spec/preemptive.md, "Combination priority": the predicted sum of norm_ipc = progress
// beside each other / alone; where that is not known, classes rank it: compute + memory, then
// compute + compute, then memory + memory. Pure. Cost: a prediction, remembered where the state has
// a memo.
#pragma once

#include "rt/policy/Partition.h"
#include "rt/policy/Predictor.h"

#include <vector>

namespace gpusched {

/// Members in order, the newcomer last.
struct Combination {
  KernelList kernels;
  Budgets budgets; // empty = not known
  Prediction prediction;
  int classes = 0; // rank by class: the worst pair's

  bool known() const { return !budgets.empty() && prediction.count > 0; }
  double sum() const {
    double all = 0;
    for (size_t i = 0; i < prediction.count; ++i)
      all += prediction.progress[i];
    return all;
  }
};

/// Strictly: a tie is no reason to change anything.
bool isBetter(const Combination& a, const Combination& b);

/// `newcomer` with the kernels of `beside`, at the best budgets within `limits`.
Combination combine(const PolicyState& state, const std::vector<const RunningKernel*>& beside,
                    const PolicyKernel& newcomer, const DeviceLimits& limits, const Goal& goal);

} // namespace gpusched
