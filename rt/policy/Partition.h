// Partition.h - dividing one SM among kernels: what fits, what it brings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the policies that choose budgets. All pure; blocks are per SM.
#pragma once

#include "rt/policy/CoRunRules.h"

namespace gpusched {

using KernelList = std::vector<const PolicyKernel*>;
using Budgets = std::vector<uint32_t>;

/// Performance with `blocks`, relative to the best. Without a curve: linear up to budget().
double performanceAt(const PolicyKernel& kernel, uint32_t blocks);

/// Blocks of `kernel` in `share` of every resource of an SM, at most its occupancy; 0 when none.
uint32_t blocksInShare(const PolicyKernel& kernel, const DeviceLimits& limits, double share);

/// Does an SM have so much? A limit of 0 is not known and binds nobody.
bool fitsOnSm(const Demand& sum, const DeviceLimits& limits);
/// Do these budgets fit on an SM together?
bool fitsTogether(const KernelList& kernels, const Budgets& budgets, const DeviceLimits& limits);

/// Raises the budget of the kernel with the least performance by the fewest blocks that help it,
/// as long as one fits (water-filling: the least performance becomes as large as it can).
/// Empty when one block of each does not fit.
Budgets waterFill(const KernelList& kernels, const DeviceLimits& limits);

/// Sets of `together` consecutive kernels with their budgets. `divide` gives the budgets of a
/// set, or none: then its first kernel runs alone and the others are tried again.
template <class Divide>
std::vector<CoRunSet> consecutiveSets(const std::vector<PolicyKernel>& kernels, size_t together,
                                      Divide divide) {
  std::vector<CoRunSet> sets;
  for (size_t next = 0; next < kernels.size();) {
    KernelList members;
    for (size_t i = next; i < kernels.size() && members.size() < together; ++i)
      members.push_back(&kernels[i]);
    Budgets budgets = members.size() > 1 ? divide(members) : Budgets{};
    if (budgets.empty())
      budgets.assign(1, 0);
    CoRunSet& set = sets.emplace_back();
    for (uint32_t lane = 0; lane < budgets.size(); ++lane)
      set.push_back({.kernel = next + lane, .blocksPerSm = budgets[lane], .lane = lane});
    next += budgets.size();
  }
  return sets;
}

/// Online form of the same: at most `together` launches at a time, in order of submission. Launch
/// i waits for launch i - together, so each chain of such launches is a lane.
Decision inLanes(const PolicyState& state, const WaitingKernel& waiting, size_t together);

} // namespace gpusched
