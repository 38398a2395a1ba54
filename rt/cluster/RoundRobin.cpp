// RoundRobin.cpp - policy `round-robin`: the next GPU with room.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In order of arrival, beginning behind the GPU that the last job would have got. Baseline of
// spec/temporal-interference.md, "Scheduler". Cost: jobs x GPUs.
#include "rt/cluster/Room.h"

namespace gpusched::cluster {
namespace {

class RoundRobin final : public ClusterPolicy {
public:
  const char* name() const override { return "round-robin"; }

  std::vector<Placement> place(const State& state) const override {
    return placeInOrder(state, "the next with room", [&](const Room& room, const Job& job) {
      const size_t turn = state.placed + room.placements.size();
      return cheapest(room, *job.application, [&](size_t gpu) {
        return double((gpu + room.size() - turn % room.size()) % room.size());
      });
    });
  }
};

} // namespace

std::unique_ptr<ClusterPolicy> makeRoundRobin() {
  return std::make_unique<RoundRobin>();
}

} // namespace gpusched::cluster
