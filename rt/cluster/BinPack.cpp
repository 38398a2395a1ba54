// BinPack.cpp - policy `bin-pack`: the GPU with the least free memory that is enough.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In order of arrival, by peak memory: GPUs fill up one after the other. Baseline of
// spec/coscheml.md, "Scheduler". Cost: jobs x GPUs.
#include "rt/cluster/Room.h"

namespace gpusched::cluster {
namespace {

class BinPack final : public ClusterPolicy {
public:
  const char* name() const override { return "bin-pack"; }

  std::vector<Placement> place(const State& state) const override {
    return placeInOrder(state, "the fullest with room", [](const Room& room, const Job& job) {
      return cheapest(room, *job.application,
                      [&](size_t gpu) { return double(room.freeBytes(gpu)); });
    });
  }
};

} // namespace

std::unique_ptr<ClusterPolicy> makeBinPack() {
  return std::make_unique<BinPack>();
}

} // namespace gpusched::cluster
