// FirstFit.cpp - policy `first-fit`: the first GPU with room.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In order of arrival, without a look at what runs there. Baseline of
// spec/temporal-interference.md, "Scheduler". Cost: jobs x GPUs.
#include "rt/cluster/Room.h"

namespace gpusched::cluster {
namespace {

class FirstFit final : public ClusterPolicy {
public:
  const char* name() const override { return "first-fit"; }

  std::vector<Placement> place(const State& state) const override {
    return placeInOrder(state, "the first with room", [](const Room& room, const Job& job) {
      return cheapest(room, *job.application, [](size_t) { return 0.0; });
    });
  }
};

} // namespace

std::unique_ptr<ClusterPolicy> makeFirstFit() {
  return std::make_unique<FirstFit>();
}

} // namespace gpusched::cluster
