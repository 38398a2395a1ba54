// Distribution.cpp - sort, then deal.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/capacity/Distribution.h"

#include <algorithm>
#include <numeric>

namespace gpusched::capacity {

std::vector<std::vector<size_t>> dealJobs(const std::vector<const CapacityJob*>& jobs,
                                          size_t queues, const Deal& deal) {
  std::vector<size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](size_t job) {
    return deal.byDeadline ? jobs[job]->deadlineSeconds : jobs[job]->arrivalSeconds;
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  std::vector<std::vector<size_t>> dealt(queues);
  for (size_t i = 0; i < order.size(); ++i)
    dealt[i / deal.atATime % queues].push_back(order[i]);
  return dealt;
}

std::vector<size_t> dealNodes(size_t nodes, size_t queues) {
  std::vector<size_t> owned(queues, nodes / queues);
  for (size_t queue = 0; queue < nodes % queues; ++queue)
    ++owned[queue];
  return owned;
}

} // namespace gpusched::capacity
