// SetPlacement.cpp - sets, lanes and who makes room.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/SetPlacement.h"

#include <algorithm>

namespace gpusched {
namespace {

/// Last launch of each other stream in a set below `set`: waiting for it covers the stream.
std::vector<uint64_t> earlierThan(const PolicyState& state, uint64_t set, uint64_t ownStream) {
  std::vector<std::pair<uint64_t, uint64_t>> lastOfStream;
  for (const RunningKernel& running : state.running) {
    if (running.set >= set || running.stream == ownStream)
      continue;
    auto known = std::find_if(lastOfStream.begin(), lastOfStream.end(),
                              [&](const auto& entry) { return entry.first == running.stream; });
    if (known == lastOfStream.end())
      lastOfStream.emplace_back(running.stream, running.lastSequence);
    else
      known->second = std::max(known->second, running.lastSequence);
  }
  std::vector<uint64_t> after;
  for (const auto& [stream, sequence] : lastOfStream)
    after.push_back(sequence);
  std::sort(after.begin(), after.end());
  return after;
}

} // namespace

void Lanes::add(uint64_t stream, const Demand& demand) {
  for (auto& [known, largest] : lanes_)
    if (known == stream)
      return largest.raiseTo(demand);
  lanes_.emplace_back(stream, demand);
}

Demand Lanes::sumWith(const Demand& more) const {
  Demand sum = more;
  for (const auto& [stream, demand] : lanes_)
    sum.add(demand);
  return sum;
}

std::vector<const RunningKernel*> lastSetFirst(const PolicyState& state, uint64_t earliest) {
  std::vector<const RunningKernel*> order;
  for (const RunningKernel& running : state.running)
    if (running.set >= earliest) // few, where a program runs far ahead
      order.push_back(&running);
  std::stable_sort(order.begin(), order.end(),
                   [](const RunningKernel* a, const RunningKernel* b) { return a->set > b->set; });
  return order;
}

uint64_t lastSetOf(const PolicyState& state, uint64_t stream) {
  uint64_t last = 0;
  for (const RunningKernel& running : state.running)
    if (running.stream == stream)
      last = std::max(last, running.set);
  return last;
}

std::vector<const RunningKernel*> neighboursOf(const PolicyState& state, uint64_t set,
                                               uint64_t stream) {
  std::vector<const RunningKernel*> neighbours;
  for (const RunningKernel& running : state.running)
    if (running.stream != stream && running.set >= set)
      neighbours.push_back(&running);
  return neighbours;
}

Decision inSet(const PolicyState& state, const WaitingKernel& waiting, uint64_t set) {
  Decision decision;
  decision.sequence = waiting.sequence;
  decision.set = set;
  decision.after = earlierThan(state, set, waiting.stream);
  decision.action = decision.after.empty() ? Action::Start : Action::Wait;
  return decision;
}

void lower(const RunningKernel& running, uint32_t blocksPerSm, std::vector<Decision>& decisions) {
  if (running.blocksPerSm <= blocksPerSm)
    return;
  Decision& made = decisions.emplace_back();
  made.action = Action::SetBudget;
  made.sequence = running.lastSequence;
  made.blocksPerSm = blocksPerSm;
}

void makeRoom(const std::vector<const RunningKernel*>& neighbours,
              std::vector<Decision>& decisions) {
  for (const RunningKernel* running : neighbours)
    lower(*running, running->kernel->budget(), decisions);
}

void carryOut(const std::vector<Decision>& decisions, std::vector<RunningKernel>& running) {
  for (const Decision& decision : decisions)
    for (RunningKernel& kernel : running)
      if (decision.action == Action::SetBudget && kernel.lastSequence == decision.sequence) {
        kernel.blocksPerSm = decision.blocksPerSm;
        kernel.preempted = decision.preempts;
      }
}

void carryOut(const std::vector<Decision>& decisions, const WaitingKernel& waiting,
              PolicyState& state) {
  carryOut(decisions, state.running);
  const Decision& own = decisions.back();
  addRunning(state.running, {waiting.sequence, waiting.sequence, waiting.stream, own.set,
                             own.blocksPerSm, waiting.kernel});
}

} // namespace gpusched
