// LoadBalance.cpp - policy `load-balance`: the busiest job to the GPU that is least busy.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By mean GPU utilisation: the largest of those that wait beside the smallest of those that run.
// Baseline of spec/coscheml.md, "Scheduler". Cost: jobs x (GPUs + log jobs).
#include "rt/cluster/Room.h"

#include <algorithm>

namespace gpusched::cluster {
namespace {

class LoadBalance final : public ClusterPolicy {
public:
  const char* name() const override { return "load-balance"; }

  std::vector<Placement> place(const State& state) const override {
    State busiestFirst = state;
    std::stable_sort(
        busiestFirst.pending.begin(), busiestFirst.pending.end(), [](const Job& a, const Job& b) {
          return a.application->means[kGpuUtilisation] > b.application->means[kGpuUtilisation];
        });
    return placeInOrder(busiestFirst, "the least busy", [](const Room& room, const Job& job) {
      return cheapest(room, *job.application, idleFirst(room, [](const Application& running) {
                        return running.means[kGpuUtilisation];
                      }));
    });
  }
};

} // namespace

std::unique_ptr<ClusterPolicy> makeLoadBalance() {
  return std::make_unique<LoadBalance>();
}

} // namespace gpusched::cluster
