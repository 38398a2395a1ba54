// Predictor.h - how much two or three kernels slow each other down in one SM; microseconds to ask.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: a policy needs slowdowns of pairs it has never seen, from what profiles say: the budget
// curve and the utilisation of each resource (rt/schema/Profile.h). Eligible warps alone mislead:
// in GoPTX's data the form with the most of them was the slowest.
// Model: one closed queueing network per SM. A unit of work is what a kernel does per unit of
// time at its best budget; at budget b it then has
//     n_b warps,   X_b = curve(b),   D_r = utilisation / curve(last),
//     Z_b = n_b / X_b - sum R_r,     R_r = D_r / (1 - D_r X_b (n_b - 1) / n_b)
// so that alone it does exactly what its curve says. Together: Schweitzer's fixed point, as in
// rt/model, a fixed number of rounds. It knows nothing of caches that partners take from each
// other, of DRAM rows, waves and launch overhead. Pure; no allocation in predict().
#pragma once

#include "rt/policy/Partition.h"

#include <array>

namespace gpusched {

inline constexpr size_t kMostTogether = 3;

struct Prediction {
  /// Of each kernel: speed beside the others / speed alone, natively (occupancy limit).
  std::array<double, kMostTogether> progress = {};
  double gain = 0; // sum of progress: 1 = as good as one after the other
  double slowest() const;
  size_t count = 0;
};

/// `kernels` and `budgets` of the same length, 1 to kMostTogether. Kernels that are not profiled
/// (no utilisation) are not predicted: gain 0.
Prediction predict(const KernelList& kernels, const Budgets& budgets);

/// The budgets with the largest gain that fit and leave every kernel `leastProgress`, by hill
/// climbing from water-filling; empty when nothing fits. `prediction` is what they give: when
/// no budgets leave that much, it tells. A budget in `fixed` that is not 0 stays.
Budgets bestBudgets(const KernelList& kernels, const DeviceLimits& limits, const Budgets& fixed,
                    double leastProgress, Prediction& prediction);

} // namespace gpusched
