// Predictor.h - how much two or three kernels slow each other down in one SM; microseconds to ask.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: a policy needs slowdowns of pairs it has never seen, from what profiles say: the budget
// curve, the utilisation of each resource and the use of the caches (rt/schema/Profile.h). Eligible
// warps alone mislead: in GoPTX's data the form with the most of them was the slowest.
// Model: one closed queueing network. A unit of work is what a kernel does per unit of time at its
// best budget; at budget b it then has
//     n_b warps,   X_b = curve(b),   D_r = utilisation / curve(last),
//     Z_b = n_b / X_b - sum R_r,     R_r = D_r / (1 - D_r X_b (n_b - 1) / n_b)
// so that alone it does exactly what its curve says. Where the twin's full run was measured, too,
// what it costs over the native form counts against running together. Together: Schweitzer's fixed
// point, as in rt/model. L2 and DRAM are one queue of all SMs. Two losses are added: cache lines
// that partners take from each other (in proportion to their working sets) and DRAM rows that mixed
// streams lose. It knows nothing of partial waves and launch overhead. Pure.
#pragma once

#include "rt/policy/Partition.h"

#include <array>
#include <limits>

namespace gpusched {

inline constexpr size_t kMostTogether = 3;

/// What budgets are chosen for.
struct Goal {
  /// No kernel may be slower than this, against its time alone.
  double maxSlowdown = std::numeric_limits<double>::infinity();
  /// Two kernels: both start together and run once; who is left has the SMs for itself, at its best
  /// budget. Else: all go on for ever beside each other.
  bool once = false;
};

struct Prediction {
  size_t count = 0; // 0 = not predicted
  /// Of each kernel: speed beside the others / speed alone, natively (occupancy limit).
  std::array<double, kMostTogether> progress = {};
  double gain = 0;     // over one after the other, each at its best budget
  double slowdown = 0; // of the kernel that loses most
  double timeUs = 0;   // goal `once`: until both are over
};

/// The blocks per SM at which a kernel is fastest alone: the occupancy limit unless fewer help.
uint32_t bestAlone(const PolicyKernel& kernel);
/// bestAlone of a kernel that takes a budget, else 0.
uint32_t twinsBudgetAlone(const PolicyKernel& kernel);
/// What a kernel is started with that nobody will join: twinsBudgetAlone, or 0, the native form,
/// where the twin was measured to be 10 % slower or more.
uint32_t budgetAlone(const PolicyKernel& kernel);
/// For Decision::blocksPerSmAlone of a launch that joins others with fewer blocks: bestAlone. 0 for
/// kernels that are short: a raise is a launch of its own, which costs some microseconds.
uint32_t raisedBudget(const PolicyKernel& kernel);
/// Time alone, at bestAlone or natively.
double bestAloneUs(const PolicyKernel& kernel);

/// `kernels` and `budgets` of the same length, 1 to kMostTogether. Kernels that are not profiled
/// (no utilisation) are not predicted: gain 0.
Prediction predict(const KernelList& kernels, const Budgets& budgets, const DeviceLimits& limits,
                   const Goal& goal = {});

/// The budgets with the largest gain that fit and keep the goal's limit, by hill climbing from
/// water-filling, for goal `once` from both ends too; empty when nothing fits. `prediction` is what
/// they give: when no budgets keep the limit, it tells. A budget in `fixed` that is not 0 stays.
Budgets bestBudgets(const KernelList& kernels, const DeviceLimits& limits, const Budgets& fixed,
                    const Goal& goal, Prediction& prediction);

} // namespace gpusched
