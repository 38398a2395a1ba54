// SetPlacement.h - which of the numbered sets in flight a launch joins, for good.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: a launch is put into its stream now, before it is known what will run when its turn
// comes. Model: sets are numbered; a launch of set s waits for everything of lower sets that was
// submitted before it. It goes to the first set, from the lowest still running, that admits it, and
// in the worst case behind all of them. Three consequences:
//   - Launches of one stream follow each other, so they share a lane: a set counts per lane the
//     largest demand, and pairs of them are not asked about. A launch is never put into a lower
//     set than its predecessor in the stream.
//   - A late member of set s may still run when a later set has begun, for that set's members
//     did not wait for it. So it must be admitted beside s and all later sets; their demand is
//     bounded by the largest of each lane over these sets. The scan goes from the last set
//     down and stops at the first refusal.
//   - Every wait points to an earlier launch: no deadlock, no starvation.
// Cost per launch: one sort of and one pass over the running entries (RunningSet merges
// launches, so they are few), and a question a pair. Pure.
#pragma once

#include "rt/policy/CoRunRules.h"

#include <string>
#include <utility>
#include <vector>

namespace gpusched {

struct Placement {
  uint64_t set = 0;
  std::string problem; // why no lower set; "" = the lowest admitted it
};

/// The demand of kernels that may run at the same time: per stream the largest, then the sum.
class Lanes {
public:
  void add(uint64_t stream, const Demand& demand);
  bool empty() const { return lanes_.empty(); }
  Demand sumWith(const Demand& more) const;

private:
  std::vector<std::pair<uint64_t, Demand>> lanes_;
};

/// Running kernels of `earliest` and later sets, those of the last set first.
std::vector<const RunningKernel*> lastSetFirst(const PolicyState& state, uint64_t earliest);
/// The last set that has a launch of the stream; 0 = none has.
uint64_t lastSetOf(const PolicyState& state, uint64_t stream);
/// Those that a launch of `set` may meet: it waits for all lower sets.
std::vector<const RunningKernel*> neighboursOf(const PolicyState& state, uint64_t set,
                                               uint64_t stream);
/// A decision for `waiting` in a set: it waits for the lower ones. Budgets and reason are missing.
Decision inSet(const PolicyState& state, const WaitingKernel& waiting, uint64_t set);
/// A lower budget for `running` if it has more; what runs natively has none.
void lower(const RunningKernel& running, uint32_t blocksPerSm, std::vector<Decision>& decisions);
/// Budgets are for company: who had more blocks for want of it goes down to its saturation point.
void makeRoom(const std::vector<const RunningKernel*>& neighbours,
              std::vector<Decision>& decisions);

/// New budgets, as if they had been written.
void carryOut(const std::vector<Decision>& decisions, std::vector<RunningKernel>& running);
/// As if `decisions`, of which the last is for `waiting`, had been carried out.
void carryOut(const std::vector<Decision>& decisions, const WaitingKernel& waiting,
              PolicyState& state);

/// The decisions of `place(state, waiting)` for one launch after the other: first those for others,
/// last the launch's own. The next one sees them carried out.
template <class Place> std::vector<Decision> oneByOne(const PolicyState& state, Place place) {
  if (state.waiting.size() == 1) // as the runtime asks: nothing is copied
    return place(state, state.waiting.front());
  std::vector<Decision> all;
  PolicyState seen = state;
  for (const WaitingKernel& waiting : state.waiting) {
    const std::vector<Decision> made = place(seen, waiting);
    carryOut(made, waiting, seen);
    all.insert(all.end(), made.begin(), made.end());
  }
  return all;
}

/// The lowest set that admits `waiting`; a new one, numbered by the launch, when none does.
/// `pairProblem(running, waiting kernel)` and `sumProblem(Demand)` say why not, or "".
template <class PairProblem, class SumProblem>
Placement findSet(const PolicyState& state, const WaitingKernel& waiting, PairProblem pairProblem,
                  SumProblem sumProblem) {
  Placement placement{waiting.sequence, ""};
  Lanes lanes;
  const uint64_t own = lastSetOf(state, waiting.stream);
  const std::vector<const RunningKernel*> order = lastSetFirst(state, own);
  for (size_t i = 0; i < order.size(); ++i) {
    const RunningKernel& running = *order[i];
    if (running.stream != waiting.stream) {
      placement.problem = pairProblem(running, *waiting.kernel);
      lanes.add(running.stream, Demand::of(*running.kernel));
    }
    bool setComplete = i + 1 == order.size() || order[i + 1]->set != running.set;
    if (placement.problem.empty() && setComplete && !lanes.empty())
      placement.problem = sumProblem(lanes.sumWith(Demand::of(*waiting.kernel)));
    if (!placement.problem.empty())
      break;
    if (setComplete)
      placement.set = running.set;
  }
  return placement;
}

} // namespace gpusched
