// Exclusive.cpp - policy `exclusive`: one job at a time on each GPU.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In order of arrival. What a cluster does that does not share its GPUs; no job is slowed down.
// Cost: jobs x GPUs.
#include "rt/cluster/Room.h"

namespace gpusched::cluster {
namespace {

class Exclusive final : public ClusterPolicy {
public:
  const char* name() const override { return "exclusive"; }

  std::vector<Placement> place(const State& state) const override {
    return placeInOrder(state, "an idle GPU", [](const Room& room, const Job& job) {
      return room.firstIdle(*job.application);
    });
  }
};

} // namespace

std::unique_ptr<ClusterPolicy> makeExclusive() {
  return std::make_unique<Exclusive>();
}

} // namespace gpusched::cluster
