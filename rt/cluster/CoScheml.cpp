// CoScheml.cpp - policy `co-scheml`: pairs with the least predicted interference first.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: S. Kim, MSc thesis, 2020, chapter III; spec/coscheml.md, "Scheduler". Idle GPUs take jobs
// in order of arrival. For the others, each with one job: the predicted interference of every pair
// (running, pending), sorted; the least first, each job and each GPU once, where memory is enough.
// Jobs in no pair wait. Interference of a pair: the mean of both slowdowns, as the document does
// not say whose it is. It takes any pair, however bad; `max_interference` bounds that (ours).
// Without a model nobody is put beside another. Cost: n log n of n = GPUs x jobs, as many
// predictions.
#include "rt/cluster/Room.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace gpusched::cluster {
namespace {

struct Pair {
  double interference = 0;
  size_t job = 0; // index into State::pending
  size_t gpu = 0;
};

class CoScheml final : public ClusterPolicy {
public:
  const char* name() const override { return "co-scheml"; }
  bool wantsModel() const override { return true; }

  std::vector<Placement> place(const State& state) const override {
    Room room(state);
    std::vector<size_t> waiting = placeOnIdle(state, room);
    if (state.pairs)
      placeBeside(state, waiting, room);
    return std::move(room.placements);
  }

private:
  /// Returns the others: indices into State::pending.
  static std::vector<size_t> placeOnIdle(const State& state, Room& room) {
    std::vector<size_t> others;
    for (size_t job = 0; job < state.pending.size(); ++job)
      if (const size_t gpu = room.firstIdle(*state.pending[job].application); gpu < room.size())
        room.put(gpu, state.pending[job], "an idle GPU");
      else
        others.push_back(job);
    return others;
  }

  void placeBeside(const State& state, const std::vector<size_t>& waiting, Room& room) const {
    std::vector<Pair> pairs = pairsOf(state, waiting, room);
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
      return std::tie(a.interference, a.job, a.gpu) < std::tie(b.interference, b.job, b.gpu);
    });
    std::set<size_t> placed;
    for (const Pair& pair : pairs) {
      if (placed.count(pair.job) || !room.only(pair.gpu))
        continue;
      room.put(pair.gpu, state.pending[pair.job],
               "predicted interference " + std::to_string(pair.interference));
      placed.insert(pair.job);
    }
  }

  std::vector<Pair> pairsOf(const State& state, const std::vector<size_t>& waiting,
                            const Room& room) const {
    std::vector<Pair> pairs;
    for (size_t gpu = 0; gpu < room.size(); ++gpu)
      if (const Application* running = room.only(gpu))
        for (size_t job : waiting) {
          const Application& pending = *state.pending[job].application;
          const double interference = (state.pairs->slowdown(pending, *running) +
                                       state.pairs->slowdown(*running, pending)) /
                                      2;
          if (room.fits(gpu, pending) && interference <= parameters_[0].value)
            pairs.push_back({interference, job, gpu});
        }
    return pairs;
  }

  std::vector<PolicyParameter>* mutableParameters() override { return &parameters_; }
  std::vector<PolicyParameter> parameters_ = {{"max_interference", "times the time alone", 1e9,
                                               "no pair above it shares a GPU",
                                               "ours: the document knows no bound"}};
};

} // namespace

std::unique_ptr<ClusterPolicy> makeCoScheml() {
  return std::make_unique<CoScheml>();
}

} // namespace gpusched::cluster
