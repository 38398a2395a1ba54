// RandomFit.cpp - policy `random-fit`: any GPU with room.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In order of arrival. Which one follows from the job and the GPU alone (a hash), so that the same
// state has the same answer. Baseline of spec/temporal-interference.md, "Scheduler". Cost: jobs x
// GPUs.
#include "rt/cluster/Room.h"

namespace gpusched::cluster {
namespace {

class RandomFit final : public ClusterPolicy {
public:
  const char* name() const override { return "random-fit"; }

  std::vector<Placement> place(const State& state) const override {
    return placeInOrder(state, "any with room", [](const Room& room, const Job& job) {
      return cheapest(room, *job.application,
                      [&](size_t gpu) { return double(mixed(job.id * room.size() + gpu)); });
    });
  }

private:
  /// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
  static uint64_t mixed(uint64_t value) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
  }
};

} // namespace

std::unique_ptr<ClusterPolicy> makeRandomFit() {
  return std::make_unique<RandomFit>();
}

} // namespace gpusched::cluster
