// WeightedOccupancy.h - the arithmetic of the thesis' worked example: queues, percent and time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are dealt round robin to the queues, as they were submitted. The head of a queue starts
// when its percent of the device is free, heads in the order of submission. Occupancy in each
// interval is weighted by how long it lasts. Also used by test/rt/policy/knapsack_test.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gpusched::knapsack_paper {

struct ExampleKernel {
  double percent = 0, milliseconds = 0; // percent: at most 100
};

struct WeightedOccupancy {
  double percent = 0, milliseconds = 0; // mean over the time; until the last ends
};

inline WeightedOccupancy weightedOccupancy(const std::vector<ExampleKernel>& kernels,
                                           const std::vector<size_t>& order, size_t queues) {
  struct Running {
    double percent, left;
  };
  std::vector<size_t> next(queues); // position in `order`: queue q has q, q + queues, ...
  std::vector<Running> running(queues, {0, 0});
  for (size_t queue = 0; queue < queues; ++queue)
    next[queue] = queue;
  WeightedOccupancy all;
  for (double used = 0;;) {
    std::vector<size_t> waiting;
    for (size_t queue = 0; queue < queues; ++queue)
      if (running[queue].left <= 0 && next[queue] < order.size())
        waiting.push_back(queue);
    std::sort(waiting.begin(), waiting.end(),
              [&](size_t a, size_t b) { return next[a] < next[b]; });
    for (size_t queue : waiting)
      if (const ExampleKernel& head = kernels[order[next[queue]]]; used + head.percent <= 100) {
        running[queue] = {head.percent, head.milliseconds};
        used += head.percent;
        next[queue] += queues;
      }
    double step = 0;
    for (const Running& kernel : running)
      if (kernel.left > 0 && (step <= 0 || kernel.left < step))
        step = kernel.left;
    if (step <= 0)
      break;
    all.percent += used * step;
    all.milliseconds += step;
    for (Running& kernel : running)
      if (kernel.left > 0 && (kernel.left -= step) <= 0)
        used -= kernel.percent;
  }
  all.percent /= std::max(all.milliseconds, 1e-9);
  return all;
}

} // namespace gpusched::knapsack_paper
