// CoRunRules.h - may these kernels run together inside SMs? Rules 1 to 5 of K-Scheduler.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: spec/kscheduler.md, "K-Scheduler" (S. Kim 2020, chapter IV). All rules are monotone: a
// kernel refused beside a set is refused beside every larger set.
//
//   rule 1  sums over the set, per SM at the saturation budgets: registers, shared memory,
//           blocks (the thesis), threads (the hardware) fit on an SM
//   rule 2  sums over the set of DRAM GB/s and FLOP/s stay below the device's
//   rule 3  L1 cache   not beside another L1-cache kernel
//   rule 4  Memory     not beside a Memory kernel; beside an L1-cache kernel only with few L1
//                      transactions
//   rule 5  Compute    beside an L1-cache kernel only with few L1 transactions; not if one has
//                      an EPC above `maxEpc` and the other above `baseEpc` (of any class, as the
//                      rule says; or Compute only, as the observation behind it says)
//
// Rules 3 to 5 look at pairs. The thesis meets kernels in the order L1 cache, Memory, Compute,
// so the rule of the class that comes later in this order is the one that is asked; with
// arrivals in any order pairRefusal() sorts the pair first. A kernel of unknown class runs
// alone. "Below MAX" of rule 1 is read as "not above": a sum equal to the limit is resident.
#pragma once

#include "rt/policy/Policy.h"

#include <string>
#include <vector>

namespace gpusched {

struct CoRunThresholds {
  double baseEpc = 0;
  double maxEpc = 0;
  double l1TransactionsPerSecond = 0; // above: not beside an L1-cache kernel
  double bandwidthShare = 1;          // of the device's DRAM rate that rule 2 allows
  double flopsShare = 1;              // of the device's FLOP/s that rule 2 allows
  bool epcBesideMemory = true;        // rule 5's EPC part asks kernels of every class
};

/// Position in the order L1 cache, Memory, Compute, unknown.
int classRank(KernelClass kernelClass);

/// What a kernel takes of an SM (at its budget) and of the device.
struct Demand {
  uint64_t registers = 0, sharedBytes = 0, blocks = 0, threads = 0;
  double dramGbPerSecond = 0, gflops = 0;

  /// At its budget.
  static Demand of(const PolicyKernel& kernel);
  /// So many blocks of it on an SM, without what it takes of the device.
  static Demand ofBlocks(const PolicyKernel& kernel, uint64_t blocks);
  void add(const Demand& other);
  /// Component by component: kernels that run one after the other count once.
  void raiseTo(const Demand& other);
};

// Each answers why not, or "" when the rule has nothing against it. With `explain` false a
// refusal is just "no": no text is built.
std::string resourceRefusal(const Demand& sum, const DeviceLimits& limits,
                            const CoRunThresholds& thresholds, bool explain = true);
std::string pairRefusal(const PolicyKernel& a, const PolicyKernel& b,
                        const CoRunThresholds& thresholds, bool explain = true);

} // namespace gpusched
