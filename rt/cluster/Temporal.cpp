// Temporal.cpp - policy `temporal`: beside a job whose peaks do not coincide.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: N. Alizadeh, M. Momtazpour, 2021; spec/temporal-interference.md, "Scheduler". In order of
// arrival: an idle GPU; else the first whose job does not interfere, says the classifier; else the
// first beside which the predicted slowdown is below a threshold; else the job waits. Without a
// model nobody is put beside another. Cost: jobs x GPUs predictions.
#include "rt/cluster/Room.h"

namespace gpusched::cluster {
namespace {

class Temporal final : public ClusterPolicy {
public:
  const char* name() const override { return "temporal"; }
  bool wantsModel() const override { return true; }

  std::vector<Placement> place(const State& state) const override {
    Room room(state);
    for (const Job& job : state.pending) {
      const auto choiceAt = [&](size_t gpu) {
        return choose(*job.application, room.only(gpu), state.pairs);
      };
      const size_t gpu = cheapest(room, *job.application, choiceAt);
      if (gpu < room.size() && choiceAt(gpu) != kWait)
        room.put(gpu, job, kReasons[choiceAt(gpu)]);
    }
    return std::move(room.placements);
  }

private:
  /// The best first.
  enum Choice { kIdle, kApart, kBearable, kWait };
  static constexpr const char* kReasons[] = {"idle", "no interference", "a bearable slowdown"};

  /// `running`: null on an idle GPU.
  Choice choose(const Application& job, const Application* running, const PairModel* pairs) const {
    if (!running)
      return kIdle;
    if (!pairs)
      return kWait;
    if (!pairs->interferes(job, *running))
      return kApart;
    return pairs->slowdown(job, *running) < parameters_[0].value ? kBearable : kWait;
  }

  std::vector<PolicyParameter>* mutableParameters() override { return &parameters_; }
  std::vector<PolicyParameter> parameters_ = {{"max_slowdown", "times the time alone", 1.9,
                                               "jobs that interfere may share a GPU below it",
                                               "spec/temporal-interference.md, Scheduler"}};
};

} // namespace

std::unique_ptr<ClusterPolicy> makeTemporal() {
  return std::make_unique<Temporal>();
}

} // namespace gpusched::cluster
