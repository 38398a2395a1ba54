// Mystic.cpp - policy `mystic`: beside the job whose metrics are least alike.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In order of arrival: an idle GPU, else the one whose job is farthest, by Euclidean distance of
// the means, each over the largest that any job of the state has (after Ukidave, Li and Kaeli 2016,
// whose similarity comes from collaborative filtering of partial profiles; here profiles are
// whole). Baseline of spec/coscheml.md, "Scheduler". Cost: jobs x GPUs x metrics.
#include "rt/cluster/Room.h"

#include <algorithm>
#include <cmath>

namespace gpusched::cluster {
namespace {

class Mystic final : public ClusterPolicy {
public:
  const char* name() const override { return "mystic"; }

  std::vector<Placement> place(const State& state) const override {
    const Metrics scale = largest(state);
    return placeInOrder(state, "idle, or least alike", [&](const Room& room, const Job& job) {
      return cheapest(room, *job.application, idleFirst(room, [&](const Application& running) {
                        return 1 / (1 + distance(job.application->means, running.means, scale));
                      }));
    });
  }

private:
  static Metrics largest(const State& state) {
    Metrics scale = {};
    const auto add = [&](const Job& job) {
      for (size_t metric = 0; metric < kMetrics; ++metric)
        scale[metric] = std::max(scale[metric], job.application->means[metric]);
    };
    std::for_each(state.pending.begin(), state.pending.end(), add);
    for (const Gpu& gpu : state.gpus)
      std::for_each(gpu.running.begin(), gpu.running.end(), add);
    return scale;
  }

  static double distance(const Metrics& a, const Metrics& b, const Metrics& scale) {
    double sum = 0;
    for (size_t metric = 0; metric < kMetrics; ++metric)
      if (scale[metric] > 0)
        sum += std::pow((a[metric] - b[metric]) / scale[metric], 2);
    return std::sqrt(sum);
  }
};

} // namespace

std::unique_ptr<ClusterPolicy> makeMystic() {
  return std::make_unique<Mystic>();
}

} // namespace gpusched::cluster
