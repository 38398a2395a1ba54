// Bottleneck.cpp - policy `bottleneck`: co-run where predicted slowdowns leave a gain.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: choose partners and budgets that shorten the whole list without slowing single kernels
// much. Model: Predictor.h, over every resource's utilisation, in place of classes and fixed
// thresholds: a pair gains when its kernels wait for different things.
//
// Offline: sets of two lanes, PairPlanner.h.
// Online: a launch joins the newest set if the predicted gain of all together is at least
// `min_gain` times that of those before, else it opens a new set behind. Budgets of the set's
// kernels are lowered to make room. Beside a small grid that leaves SMs, and no room on its own,
// the newcomer has its budget of alone.
#include "rt/policy/PairPlanner.h"
#include "rt/policy/Predictor.h"
#include "rt/policy/SmDivision.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

namespace gpusched {
namespace {

enum Parameter { kMinGain, kMaxSlowdown };

class Bottleneck final : public Policy {
public:
  const char* name() const override { return "bottleneck"; }
  bool wantsProfiles() const override { return true; }

  std::vector<Decision> decide(const PolicyState& state) const override {
    std::vector<Decision> decisions;
    PolicyState seen = state;
    for (const WaitingKernel& waiting : state.waiting) {
      place(seen, waiting, decisions);
      const Decision& made = decisions.back();
      addRunning(seen.running, {waiting.sequence, waiting.sequence, waiting.stream, made.set,
                                made.blocksPerSm, waiting.kernel});
    }
    return decisions;
  }

  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>& kernels,
                                 const DeviceLimits& limits) const override {
    return planPairs(kernels, limits, parameters_[kMinGain].value, parameters_[kMaxSlowdown].value);
  }

private:
  Goal goal() const { return {parameters_[kMaxSlowdown].value}; }

  struct Newest {
    uint64_t set = 0;
    std::vector<const RunningKernel*> members; // of other streams
    std::vector<uint64_t> earlier;             // last launches of lower sets
  };

  static Newest newestSet(const PolicyState& state, uint64_t stream) {
    Newest newest;
    for (const RunningKernel& running : state.running)
      newest.set = std::max(newest.set, running.set);
    for (const RunningKernel& running : state.running) {
      if (running.set == newest.set && running.stream != stream)
        newest.members.push_back(&running);
      else if (running.stream != stream)
        newest.earlier.push_back(running.lastSequence);
    }
    std::sort(newest.earlier.begin(), newest.earlier.end());
    return newest;
  }

  void place(const PolicyState& state, const WaitingKernel& waiting,
             std::vector<Decision>& decisions) const {
    Newest newest = newestSet(state, waiting.stream);
    Decision decision;
    decision.sequence = waiting.sequence;
    decision.set = newest.set;
    decision.after = newest.earlier;
    KernelList members;
    for (const RunningKernel* running : newest.members)
      members.push_back(running->kernel);
    members.push_back(waiting.kernel);
    Prediction prediction;
    Budgets budgets;
    if (members.size() > 1 && members.size() <= kMostTogether)
      budgets = bestBudgets(members, state.limits, {}, goal(), prediction);
    bool join = !budgets.empty() && worthIt(members, state.limits, prediction);
    std::optional<SmDivision> division;
    if (!join && newest.members.size() == 1)
      division = fills(*newest.members[0], *waiting.kernel, state);
    if (division) {
      join = true;
      budgets = {newest.members[0]->blocksPerSm, bestAlone(*waiting.kernel)};
      prediction = {.count = 2, .gain = division->gain, .slowdown = division->slowdown};
    }
    if (members.size() == 1 || !join) {
      budgets.assign(members.size(), 0);
      budgets.back() = bestAlone(*waiting.kernel);
    }
    if (!state.running.empty() && members.size() > 1 && !join) {
      decision.set = waiting.sequence;
      for (const RunningKernel* running : newest.members)
        decision.after.push_back(running->lastSequence);
    }
    if (state.running.empty())
      decision.set = waiting.sequence;
    std::sort(decision.after.begin(), decision.after.end());
    decision.action = decision.after.empty() ? Action::Start : Action::Wait;
    if (join)
      lowerOthers(newest, budgets, decisions);
    if (waiting.kernel->takesBudget())
      decision.blocksPerSm = budgets.back();
    if (join)
      decision.blocksPerSmAlone = raisedBudget(*waiting.kernel);
    if (state.explain)
      decision.reason = reason(newest, join, prediction);
    decisions.push_back(std::move(decision));
  }

  /// Joined, the set must do `min_gain` times what it does without the newcomer.
  bool worthIt(const KernelList& members, const DeviceLimits& limits,
               const Prediction& prediction) const {
    Prediction before;
    if (members.size() > 2)
      bestBudgets({members.begin(), members.end() - 1}, limits, {}, goal(), before);
    return prediction.gain >= parameters_[kMinGain].value * std::max(1.0, before.gain) &&
           prediction.slowdown <= goal().maxSlowdown;
  }

  /// Does the newcomer only get the SMs that a running kernel's small grid leaves? Which SMs these
  /// are is not known here, so they are not shared.
  std::optional<SmDivision> fills(const RunningKernel& running, const PolicyKernel& newcomer,
                                  const PolicyState& state) const {
    std::optional<SmDivision> division = divideSms(*running.kernel, newcomer, state.limits);
    bool good = division && !division->ownSms && division->gain >= parameters_[kMinGain].value &&
                division->slowdown <= goal().maxSlowdown;
    return good ? division : std::nullopt;
  }

  static void lowerOthers(const Newest& newest, const Budgets& budgets,
                          std::vector<Decision>& decisions) {
    for (size_t i = 0; i < newest.members.size(); ++i) {
      if (newest.members[i]->blocksPerSm <= budgets[i])
        continue;
      Decision lower;
      lower.action = Action::SetBudget;
      lower.sequence = newest.members[i]->lastSequence;
      lower.blocksPerSm = budgets[i];
      decisions.push_back(lower);
    }
  }

  static std::string reason(const Newest& newest, bool join, const Prediction& prediction) {
    if (newest.members.empty())
      return "policy bottleneck: nobody to join";
    std::string names;
    for (const RunningKernel* running : newest.members)
      names += (names.empty() ? "'" : ", '") + running->kernel->name + "'";
    char gain[32];
    std::snprintf(gain, sizeof gain, "%.2f", prediction.gain);
    return std::string("policy bottleneck: ") + (join ? "beside " : "not beside ") + names +
           ", predicted gain " + (prediction.count ? gain : "not known");
  }

  std::vector<PolicyParameter>* mutableParameters() override { return &parameters_; }
  std::vector<PolicyParameter> parameters_ = {
      {"min_gain", "of serial throughput", 1.02,
       "a set is formed only when this much work per time is predicted",
       "ours: the predictor errs to the low side (benchmarks/papers/kscheduler)"},
      {"max_slowdown", "times", 1.3,
       "no kernel of a set may be predicted slower than this; 3 for throughput alone",
       "ours: keeps ANTT below K-Scheduler's (benchmarks/papers/kscheduler)"},
  };
};

} // namespace

std::unique_ptr<Policy> makeBottleneck() {
  return std::make_unique<Bottleneck>();
}

} // namespace gpusched
