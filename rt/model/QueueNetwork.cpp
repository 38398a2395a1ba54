// QueueNetwork.cpp - the fixed point of QueueNetwork.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts from every warp spread evenly over the centres it uses.
#include "rt/model/QueueNetwork.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gpusched {
namespace {

constexpr int kMaxRounds = 20'000;
constexpr double kTolerance = 1e-8;

/// Mean number of warps that an arriving warp of `k` finds at `centre`.
double found(const std::vector<Population>& populations,
             const std::vector<PopulationResult>& results, size_t k, size_t centre) {
  double sum = 0;
  for (size_t j = 0; j < populations.size(); ++j) {
    if (sharedByAllSms(centre))
      sum += populations[j].sms * results[j].queue[centre];
    else if (populations[j].group == populations[k].group)
      sum += results[j].queue[centre];
  }
  return std::max(0.0, sum - results[k].queue[centre] / populations[k].warpsPerSm);
}

/// One round for one population; returns the relative change of its throughput.
double update(const std::vector<Population>& populations,
              const std::vector<PopulationResult>& before, size_t k, PopulationResult& after) {
  const Population& population = populations[k];
  double cycle = population.task.latency;
  for (size_t r = 0; r < kCentres; ++r) {
    after.residence[r] = population.task.demand[r] * (1 + found(populations, before, k, r));
    cycle += after.residence[r];
  }
  after.warpTasksPerCycle = cycle > 0 ? population.warpsPerSm / cycle : 0;
  for (size_t r = 0; r < kCentres; ++r)
    after.queue[r] =
        (before[k].queue[r] + after.warpTasksPerCycle * after.residence[r]) / 2; // damping
  double was = before[k].warpTasksPerCycle;
  return was > 0 ? std::fabs(after.warpTasksPerCycle - was) / was : 1;
}

} // namespace

double WarpTask::totalDemand() const {
  return std::accumulate(demand.begin(), demand.end(), 0.0);
}

std::vector<PopulationResult> solve(const std::vector<Population>& populations) {
  std::vector<PopulationResult> results(populations.size());
  for (size_t k = 0; k < populations.size(); ++k) {
    results[k].demand = populations[k].task.demand;
    for (size_t r = 0; r < kCentres; ++r)
      results[k].queue[r] =
          populations[k].task.demand[r] > 0 ? populations[k].warpsPerSm / double(kCentres) : 0;
  }
  double change = 1;
  for (int round = 0; round < kMaxRounds && change > kTolerance; ++round) {
    std::vector<PopulationResult> before = results;
    change = 0;
    for (size_t k = 0; k < populations.size(); ++k)
      if (populations[k].warpsPerSm > 0)
        change = std::max(change, update(populations, before, k, results[k]));
  }
  return results;
}

} // namespace gpusched
