// Priorities.cpp - hides what is less urgent from the policy, then makes it step back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/Priorities.h"

#include "rt/policy/NoRegret.h"

#include <algorithm>

namespace gpusched {
namespace {

constexpr uint32_t kLeastBudget = 1;

int32_t highestOf(const PolicyState& state) {
  int32_t highest = state.waiting.back().priority;
  for (const RunningKernel& running : state.running)
    highest = std::max(highest, running.priority);
  return highest;
}

bool areEqual(const PolicyState& state) {
  return state.waiting.back().priority == kNormalPriority &&
         std::all_of(state.running.begin(), state.running.end(), [](const RunningKernel& running) {
           return running.priority == kNormalPriority;
         });
}

/// Whatever the policy wants of it.
void makeStepBack(const RunningKernel& running, std::vector<Decision>& decisions) {
  std::erase_if(decisions, [&](const Decision& decision) {
    return decision.sequence == running.lastSequence;
  });
  if (running.yields || running.blocksPerSm <= kLeastBudget)
    return;
  Decision less;
  less.action = Action::SetBudget;
  less.sequence = running.lastSequence;
  less.set = running.set;
  less.blocksPerSm = kLeastBudget;
  less.blocksPerSmAfter = running.blocksPerSm;
  less.preempts = true;
  decisions.push_back(less);
}

void startBelow(const PolicyState& state, int32_t highest, Decision& decision) {
  const WaitingKernel& waiting = state.waiting.back();
  if (!waiting.kernel->hasPersistent || waiting.priority >= std::max(highest, kNormalPriority))
    return;
  if (decision.blocksPerSm == 0)
    decision.blocksPerSm = waiting.kernel->occupancyBlocksPerSm;
  decision.urgent = false;
  if (waiting.priority >= highest)
    return;
  decision.blocksPerSmAfter = decision.blocksPerSm;
  decision.blocksPerSm = std::min(decision.blocksPerSm, kLeastBudget);
  addReason(state, decision, "steps back for a higher priority");
}

} // namespace

std::vector<Decision> decideByPriority(const Policy& policy, PolicyState& state) {
  if (areEqual(state))
    return policy.decide(state);
  const int32_t priority = state.waiting.back().priority, highest = highestOf(state);
  std::vector<RunningKernel> all = state.running;
  std::erase_if(state.running,
                [&](const RunningKernel& running) { return running.priority < priority; });
  std::vector<Decision> decisions = policy.decide(state);
  state.running = std::move(all);
  for (const RunningKernel& running : state.running)
    if (running.priority < highest)
      makeStepBack(running, decisions);
  auto isOwn = [&](const Decision& decision) {
    return decision.sequence == state.waiting.back().sequence;
  };
  auto own = std::find_if(decisions.begin(), decisions.end(), isOwn);
  if (own == decisions.end()) { // it said nothing: natively
    own = decisions.emplace(own);
    own->sequence = own->set = state.waiting.back().sequence;
  }
  startBelow(state, highest, *own);
  return decisions;
}

} // namespace gpusched
