// ClassPairs.cpp - policy `class-pairs`: never two compute jobs, nor two memory jobs, on one GPU.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In order of arrival: an idle GPU, else the first whose job is of another class, else wait. What
// spec/temporal-interference.md compares with: the same class means interference. Cost: jobs x
// GPUs.
#include "rt/cluster/Room.h"

namespace gpusched::cluster {
namespace {

class ClassPairs final : public ClusterPolicy {
public:
  const char* name() const override { return "class-pairs"; }

  std::vector<Placement> place(const State& state) const override {
    return placeInOrder(state, "idle, or of another class", [](const Room& room, const Job& job) {
      const Application& application = *job.application;
      const size_t gpu =
          cheapest(room, application, idleFirst(room, [&](const Application& running) {
                     return running.kernelClass == application.kernelClass ? 1.0 : 0.0;
                   }));
      const Application* running = gpu < room.size() ? room.only(gpu) : nullptr;
      return running && running->kernelClass == application.kernelClass ? room.size() : gpu;
    });
  }
};

} // namespace

std::unique_ptr<ClusterPolicy> makeClassPairs() {
  return std::make_unique<ClassPairs>();
}

} // namespace gpusched::cluster
