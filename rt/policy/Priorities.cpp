// Priorities.cpp - hides what is less urgent from the policy, then makes it step back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The room for streams of higher priority is made from above: kernels of each stream priority give
// up blocks, one at a time and from the one that has the most, until they fit beside all that
// outranks them. Kernels of one stream run one after the other and count once.
#include "rt/policy/Priorities.h"

#include "rt/policy/CoRunRules.h"
#include "rt/policy/NoRegret.h"

#include <algorithm>
#include <span>
#include <tuple>
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

bool isWithin(uint64_t taken, uint64_t limit) {
  return limit == 0 || taken <= limit;
}

/// A limit of 0 is not known and binds nobody.
bool fitOnSm(const Demand& sum, const DeviceLimits& limits) {
  return isWithin(sum.registers, limits.registersPerSm) &&
         isWithin(sum.sharedBytes, limits.sharedBytesPerSm) &&
         isWithin(sum.blocks, limits.blocksPerSm) && isWithin(sum.threads, limits.threadsPerSm);
}

using Level = std::span<Place>; ///< of one priority, each stream's places side by side

template <class Counts>
Demand demandOf(const Level& level, const DeviceLimits& limits, const Counts& counts) {
  Demand sum, ofStream;
  for (size_t i = 0; i < level.size(); ++i) {
    const uint64_t blocks = counts(level[i]) ? level[i].onSm(limits) : 0;
    const PolicyKernel& kernel = *level[i].kernel;
    ofStream.raiseTo({blocks * kernel.registersPerBlock, blocks * kernel.sharedBytesPerBlock,
                      blocks, blocks * kernel.threadsPerBlock});
    if (i + 1 < level.size() && level[i + 1].stream == level[i].stream)
      continue;
    sum.add(ofStream);
    ofStream = {};
  }
  return sum;
}

/// Takes blocks away until the level fits beside `taken`. What is native there has what it gets.
void shrink(const Level& level, const Demand& taken, const DeviceLimits& limits) {
  for (;;) {
    Demand sum = demandOf(level, limits, [](const Place& place) { return place.mayShrink; });
    sum.add(taken);
    if (fitOnSm(sum, limits))
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
void makeRoom(std::vector<Place>& places, const DeviceLimits& limits) {
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tuple(b.streamPriority, a.stream) < std::tuple(a.streamPriority, b.stream);
  });
  Demand taken;
  for (size_t begin = 0, end = 0; begin < places.size(); begin = end) {
    while (end < places.size() && places[end].streamPriority == places[begin].streamPriority)
      ++end;
    const Level level(&places[begin], end - begin);
    shrink(level, taken, limits);
    taken.add(demandOf(level, limits, [](const Place&) { return true; }));
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
        lower(running, budgetFor(running, places));
    if (isOutranked(waiting_))
      start(own(), budgetFor(waiting_, places));
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
    makeRoom(places, state_.limits);
    return places;
  }

  /// The same number means that it need not step back.
  template <class Kernel>
  uint32_t budgetFor(const Kernel& kernel, const std::vector<Place>& places) const {
    if (isBelowProcess(kernel))
      return kLeastBudget;
    for (const Place& place : places)
      if (place.sequence == sequenceOf(kernel))
        return place.budget;
    return kLeastBudget;
  }
  static uint64_t sequenceOf(const RunningKernel& running) { return running.lastSequence; }
  static uint64_t sequenceOf(const WaitingKernel& waiting) { return waiting.sequence; }

  void lower(const RunningKernel& running, uint32_t budget) {
    if (running.blocksPerSm <= budget)
      return;
    Decision less;
    less.action = Action::SetBudget;
    less.sequence = running.lastSequence;
    less.blocksPerSm = budget;
    less.blocksPerSmAfter = running.blocksPerSm;
    less.preempts = true;
    decisions_.push_back(less);
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
