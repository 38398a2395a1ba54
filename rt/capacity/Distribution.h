// Distribution.h - the central queue dealt to the local queues, and nodes to them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: spec/hierarchical-milp.md, "Distribution". The central queue, sorted by deadline, is
// dealt round robin, one (EDF), two (EDF2) or three (EDF3) jobs at a time. The hierarchical round
// robin that the document compares with does not sort. Cost: n log n of n jobs.
#pragma once

#include "rt/capacity/CapacityJob.h"

#include <cstddef>
#include <vector>

namespace gpusched::capacity {

struct Deal {
  bool byDeadline = true; // false: in order of arrival
  size_t atATime = 1;     // jobs that a queue gets before it is the next one's turn
};

/// Indices of `jobs`, by local queue, in the order dealt. Ties by index.
/// REQUIRES: queues >= 1, deal.atATime >= 1.
std::vector<std::vector<size_t>> dealJobs(const std::vector<const CapacityJob*>& jobs,
                                          size_t queues, const Deal& deal);

/// How many nodes each queue owns: numbers that differ by one at most, the larger first.
/// REQUIRES: queues >= 1.
std::vector<size_t> dealNodes(size_t nodes, size_t queues);

} // namespace gpusched::capacity
