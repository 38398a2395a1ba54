// NoRegret.cpp - the history of pairs and its veto.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting for every other stream points back in order of submission, as all waits do.
#include "rt/policy/NoRegret.h"

#include "rt/policy/Predictor.h"

#include <algorithm>
#include <cstdio>

namespace gpusched {
namespace {

std::string keyOf(const std::string& a, const std::string& b) {
  return std::min(a, b) + "\n" + std::max(a, b);
}

bool isInFlight(const PolicyState& state, const std::string& kernel) {
  return std::any_of(state.running.begin(), state.running.end(),
                     [&](const RunningKernel& other) { return other.kernel->name == kernel; });
}

/// Why `waiting` shall not run beside `neighbour`, in words; "" when it may.
std::string veto(const PolicyState& state, const PairHistory& history, const WaitingKernel& waiting,
                 const RunningKernel& neighbour, PairForm form) {
  const std::string &own = waiting.kernel->name, &other = neighbour.kernel->name;
  const PairRecord* record = history.find(own, other);
  if (!record)
    return "";
  const PairOutcome& measured = outcome(*record, form);
  if (measured.trials == 0 || measured.ratio >= PairHistory::kWorthIt ||
      (!isKnown(measured) && !isInFlight(state, own)))
    return "";
  char text[64];
  std::snprintf(text, sizeof text, "measured %.3f of serial%s", measured.ratio,
                isKnown(measured) ? "" : ", and a further trial is under way");
  return "not beside '" + other + "': " + text;
}

void separate(const PolicyState& state, const WaitingKernel& waiting, Decision& decision) {
  decision.set = waiting.sequence;
  decision.blocksPerSm = budgetAlone(*waiting.kernel);
  decision.blocksPerSmAlone = 0;
  decision.after.clear();
  for (const RunningKernel& running : state.running)
    if (running.stream != waiting.stream)
      decision.after.push_back(running.lastSequence);
  decision.action = decision.after.empty() ? Action::Start : Action::Wait;
}

} // namespace

PairHistory::PairHistory(const PairHistoryFile& file) {
  for (const PairRecord& pair : file.pairs)
    pairs_[keyOf(pair.first, pair.second)] = pair;
}

PairRecord& PairHistory::at(const std::string& a, const std::string& b) {
  PairRecord& pair = pairs_[keyOf(a, b)];
  if (pair.first.empty())
    pair.first = std::min(a, b), pair.second = std::max(a, b);
  return pair;
}

void PairHistory::add(const std::string& a, const std::string& b, PairForm form, double ratio,
                      uint32_t trials) {
  PairRecord& pair = at(a, b);
  pair.apart = 0;
  PairOutcome& measured = form == PairForm::Native ? pair.native : pair.budgeted;
  measured.trials += trials;
  const double share = double(std::min(trials, kMemory)) / std::min(measured.trials, kMemory);
  measured.ratio += (ratio - measured.ratio) * share;
}

void PairHistory::held(const std::string& a, const std::string& b) {
  at(a, b).held = true;
}

void PairHistory::met(const PolicyKernel& kernel, const std::string& other) {
  latest_[&kernel] = other;
}

const std::string* PairHistory::latest(const PolicyKernel& kernel) const {
  const auto found = latest_.find(&kernel);
  return found == latest_.end() ? nullptr : &found->second;
}

void PairHistory::keptApart(const std::string& a, const std::string& b) {
  PairRecord& pair = pairs_.at(keyOf(a, b));
  if (++pair.apart < kPatience)
    return;
  pair.apart = 0;
  for (PairOutcome* measured : {&pair.budgeted, &pair.native})
    measured->trials = std::min(measured->trials, kTrials - 1);
}

const PairRecord* PairHistory::find(const std::string& a, const std::string& b) const {
  if (pairs_.empty())
    return nullptr;
  auto found = pairs_.find(keyOf(a, b));
  return found == pairs_.end() ? nullptr : &found->second;
}

bool PairHistory::known(const std::string& a, const std::string& b, PairForm form) const {
  const PairRecord* record = find(a, b);
  return record && isKnown(outcome(*record, form));
}

PairHistoryFile PairHistory::file() const {
  PairHistoryFile file;
  for (const auto& [key, pair] : pairs_)
    file.pairs.push_back(pair);
  return file;
}

const PairOutcome& outcome(const PairRecord& record, PairForm form) {
  return form == PairForm::Native ? record.native : record.budgeted;
}

bool isKnown(const PairOutcome& outcome) {
  return outcome.trials >= PairHistory::kTrials;
}

const WaitingKernel* waitingOf(const PolicyState& state, const Decision& decision) {
  for (const WaitingKernel& waiting : state.waiting)
    if (waiting.sequence == decision.sequence)
      return &waiting;
  return nullptr;
}

void dropBudgetChanges(std::vector<Decision>& decisions) {
  std::erase_if(decisions,
                [](const Decision& decision) { return decision.action == Action::SetBudget; });
}

void addReason(const PolicyState& state, Decision& decision, const std::string& why) {
  if (state.explain)
    decision.reason += (decision.reason.empty() ? "" : "; ") + why;
}

void keepWithoutRegret(const PolicyState& state, PairHistory& history,
                       std::vector<Decision>& decisions) {
  bool separated = false;
  for (Decision& decision : decisions) {
    const WaitingKernel* waiting = waitingOf(state, decision);
    if (!waiting)
      continue;
    std::string why;
    for (const RunningKernel& running : state.running) {
      if (!why.empty() || !mayRunBeside(running, waiting->stream, decision.after, state.running))
        continue;
      why = veto(state, history, *waiting, running,
                 pairForm(decision.blocksPerSm == 0, running.blocksPerSm == 0));
      if (!why.empty())
        history.keptApart(waiting->kernel->name, running.kernel->name);
    }
    if (why.empty())
      continue;
    separate(state, *waiting, decision);
    separated = true;
    addReason(state, decision, why);
  }
  if (separated)
    dropBudgetChanges(decisions);
}

} // namespace gpusched
