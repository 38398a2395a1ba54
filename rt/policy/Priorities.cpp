// Priorities.cpp - hides what is less urgent from the policy, then makes it step back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The room for streams of higher priority is made from above: kernels of each stream priority give
// up blocks, one at a time and from the one that has the most, until they fit beside all that
// outranks them. Kernels of one stream run one after the other and count once.
#include "rt/policy/Priorities.h"

#include "rt/policy/NoRegret.h"
#include "rt/policy/Partition.h"
#include "rt/policy/SetPlacement.h"

#include <algorithm>
#include <span>
#include <vector>

namespace gpusched {
namespace {

constexpr uint32_t kLeastBudget = 1;

/// A kernel of this process as the room is made, running or waiting.
struct Place {
  const PolicyKernel* kernel;
  uint64_t sequence, stream, blocks;
  int32_t streamPriority;
  uint32_t budget; ///< 0 = native
  bool mayShrink = false;

  /// Blocks on an SM, at most.
  uint32_t onSm(const DeviceLimits& limits) const {
    const uint32_t most = budget == 0 ? kernel->occupancyBlocksPerSm : budget;
    if (blocks == 0 || limits.sms == 0)
      return most;
    return uint32_t(std::min<uint64_t>(most, (blocks + limits.sms - 1) / limits.sms));
  }
};

using Level = std::span<Place>; ///< of one priority

template <class Counts>
Demand demandOf(const Level& level, const DeviceLimits& limits, const Demand& more,
                const Counts& counts) {
  Lanes lanes;
  for (const Place& place : level)
    if (counts(place))
      lanes.add(place.stream, Demand::ofBlocks(*place.kernel, place.onSm(limits)));
  return lanes.sumWith(more);
}

/// Takes blocks away until the level fits beside `taken`. What is native there has what it gets.
void shrink(const Level& level, const Demand& taken, const DeviceLimits& limits) {
  for (;;) {
    if (fitsOnSm(demandOf(level, limits, taken, [](const Place& place) { return place.mayShrink; }),
                 limits))
      return;
    Place* largest = nullptr;
    for (Place& place : level)
      if (place.mayShrink && place.onSm(limits) > kLeastBudget &&
          (!largest || place.onSm(limits) > largest->onSm(limits)))
        largest = &place;
    if (!largest)
      return;
    largest->budget = largest->onSm(limits) - 1;
  }
}

/// Budgets such that streams of higher priority have room.
void makeRoomFromAbove(std::vector<Place>& places, const DeviceLimits& limits) {
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.streamPriority > b.streamPriority;
  });
  Demand taken;
  for (size_t begin = 0, end = 0; begin < places.size(); begin = end) {
    while (end < places.size() && places[end].streamPriority == places[begin].streamPriority)
      ++end;
    const Level level(&places[begin], end - begin);
    shrink(level, taken, limits);
    if (end < places.size())
      taken = demandOf(level, limits, taken, [](const Place&) { return true; });
  }
}

class StepBack {
public:
  StepBack(const PolicyState& state, std::vector<Decision>& decisions)
      : state_(state), decisions_(decisions), waiting_(state.waiting.back()) {
    highest_ = waiting_.priority;
    mostUrgent_ = waiting_.streamPriority;
    for (const RunningKernel& running : state.running) {
      highest_ = std::max(highest_, running.priority);
      if (processOf(running.stream) == 0)
        mostUrgent_ = std::max(mostUrgent_, running.streamPriority);
    }
  }

  void decide() {
    for (const RunningKernel& running : state_.running)
      if (outranks(running, waiting_) || isOutranked(running))
        drop(running);
    startBelow(own());
    const std::vector<Place> places = room();
    for (const RunningKernel& running : state_.running)
      if (isOutranked(running))
        stepBack(running, budgetFor(running, running.lastSequence, places));
    if (isOutranked(waiting_))
      start(own(), budgetFor(waiting_, waiting_.sequence, places));
  }

private:
  template <class Kernel> bool isBelowProcess(const Kernel& kernel) const {
    return kernel.priority < highest_;
  }
  template <class Kernel> bool isOutranked(const Kernel& kernel) const {
    return isBelowProcess(kernel) ||
           (processOf(kernel.stream) == 0 && kernel.streamPriority < mostUrgent_);
  }

  /// Whatever the policy wants of it.
  void drop(const RunningKernel& running) {
    std::erase_if(decisions_, [&](const Decision& decision) {
      return decision.sequence == running.lastSequence;
    });
  }

  Decision& own() {
    auto found =
        std::find_if(decisions_.begin(), decisions_.end(), [this](const Decision& decision) {
          return decision.sequence == waiting_.sequence;
        });
    if (found == decisions_.end()) { // it said nothing: natively
      found = decisions_.emplace(found);
      found->sequence = found->set = waiting_.sequence;
    }
    return *found;
  }

  void startBelow(Decision& decision) const {
    if (!waiting_.kernel->hasPersistent || !(waiting_.keepsBudget || isOutranked(waiting_)))
      return;
    if (decision.blocksPerSm == 0)
      decision.blocksPerSm = waiting_.kernel->occupancyBlocksPerSm;
    decision.urgent = false;
  }

  std::vector<Place> room() {
    std::vector<Place> places;
    const auto add = [&](const auto& kernel, uint64_t sequence, uint32_t budget) {
      places.push_back({kernel.kernel, sequence, kernel.stream, kernel.blocks,
                        kernel.streamPriority, budget, budget != 0});
    };
    for (const RunningKernel& running : state_.running)
      if (processOf(running.stream) == 0)
        add(running, running.lastSequence, running.blocksPerSm);
    add(waiting_, waiting_.sequence, own().blocksPerSm);
    makeRoomFromAbove(places, state_.limits);
    return places;
  }

  /// The same number means that it need not step back.
  template <class Kernel>
  uint32_t budgetFor(const Kernel& kernel, uint64_t sequence,
                     const std::vector<Place>& places) const {
    if (!isBelowProcess(kernel))
      for (const Place& place : places)
        if (place.sequence == sequence)
          return place.budget;
    return kLeastBudget;
  }

  void stepBack(const RunningKernel& running, uint32_t budget) {
    if (running.blocksPerSm <= budget)
      return;
    lower(running, budget, decisions_);
    decisions_.back().blocksPerSmAfter = running.blocksPerSm;
    decisions_.back().preempts = true;
  }

  void start(Decision& decision, uint32_t budget) const {
    decision.blocksPerSmAfter = decision.blocksPerSm; // also if it fits: no policy changes it now
    if (decision.blocksPerSm <= budget)
      return;
    decision.blocksPerSm = budget;
    addReason(state_, decision, "steps back for a higher priority");
  }

  const PolicyState& state_;
  std::vector<Decision>& decisions_;
  const WaitingKernel& waiting_;
  int32_t highest_, mostUrgent_;
};

} // namespace

bool mayDecideAsItIs(const PolicyState& state) {
  const WaitingKernel& waiting = state.waiting.back();
  return !waiting.keepsBudget &&
         std::none_of(
             state.running.begin(), state.running.end(), [&](const RunningKernel& running) {
               return running.unmanaged || outranks(running, waiting) || outranks(waiting, running);
             });
}

std::vector<RunningKernel> hide(PolicyState& state) {
  std::vector<RunningKernel> all = state.running;
  std::erase_if(state.running, [&](const RunningKernel& running) {
    return running.unmanaged || outranks(state.waiting.back(), running);
  });
  return all;
}

void makeLowerStepBack(const PolicyState& state, std::vector<Decision>& decisions) {
  StepBack(state, decisions).decide();
}

} // namespace gpusched
