// Room.h - where jobs fit, while a policy places one after the other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to rt/cluster: the state as it will be, with what was placed so far.
#pragma once

#include "rt/cluster/ClusterPolicy.h"

namespace gpusched::cluster {

class Room {
public:
  explicit Room(const State& state);

  size_t size() const { return gpus_.size(); }
  bool idle(size_t gpu) const { return gpus_[gpu].running.empty(); }
  /// The job that runs there alone; null where none does, or two.
  const Application* only(size_t gpu) const;
  uint64_t freeBytes(size_t gpu) const;
  /// Fewer than kJobsPerGpu, and memory for this one. A job that no GPU could hold fits on any idle
  /// one: whoever submitted it believes that it runs.
  bool fits(size_t gpu, const Application& application) const;
  /// The first idle GPU on which it fits; size() where there is none.
  size_t firstIdle(const Application& application) const;
  void put(size_t gpu, const Job& job, std::string reason);

  std::vector<Placement> placements;

private:
  std::vector<Gpu> gpus_;
  uint64_t largestBytes_ = 0; // of any GPU
};

/// Puts each job of `state`, in order of arrival, where `choose(room, job)` says: the index of a
/// GPU on which it fits, or any other number to have it wait. `reason`: for all.
template <class Choose>
std::vector<Placement> placeInOrder(const State& state, const char* reason, const Choose& choose) {
  Room room(state);
  for (const Job& job : state.pending)
    if (const size_t gpu = choose(room, job); gpu < room.size())
      room.put(gpu, job, reason);
  return std::move(room.placements);
}

/// The GPU on which the application fits with the least `cost(gpu)`, the first of equals; size()
/// where it fits nowhere.
template <class Cost>
size_t cheapest(const Room& room, const Application& application, const Cost& cost) {
  size_t best = room.size();
  double least = 0;
  for (size_t gpu = 0; gpu < room.size(); ++gpu) {
    if (!room.fits(gpu, application))
      continue;
    const double here = cost(gpu);
    if (best == room.size() || here < least)
      best = gpu, least = here;
  }
  return best;
}

/// An idle GPU first, as all policies of the documents do: -1 there, `cost(running)` beside others.
template <class Cost> auto idleFirst(const Room& room, const Cost& cost) {
  return [&room, cost](size_t gpu) { return room.idle(gpu) ? -1.0 : cost(*room.only(gpu)); };
}

} // namespace gpusched::cluster
