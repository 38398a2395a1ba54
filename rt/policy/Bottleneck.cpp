// Bottleneck.cpp - policy `bottleneck`: co-run where predicted slowdowns leave a gain.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: choose partners and budgets that shorten the whole list without slowing single kernels
// much. Model: Predictor.h, over every resource's utilisation, in place of classes and fixed
// thresholds: a pair gains when its kernels wait for different things.
//
// Offline: sets of two lanes, PairPlanner.h.
// Online: a launch joins the set in flight if the predicted gain of all together is at least
// `min_gain` times that of those before, else it opens a new set behind. Kernels of one stream run
// in turn: the longest counts, and none of the others may be slowed too much. Budgets of the set's
// kernels are lowered to make room. Where launches of several sets are in flight it joins the
// lowest that admits it (SetPlacement.h), each pair predicted at the saturation points. Beside a
// small grid that leaves SMs, and no room on its own, the newcomer has its budget of alone.
#include "rt/policy/PairPlanner.h"
#include "rt/policy/PredictionMemo.h"
#include "rt/policy/Predictor.h"
#include "rt/policy/SetPlacement.h"
#include "rt/policy/SmDivision.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpusched {
namespace {

enum Parameter { kMinGain, kMaxSlowdown };

class Bottleneck final : public Policy {
public:
  const char* name() const override { return "bottleneck"; }
  bool wantsProfiles() const override { return true; }

  std::vector<Decision> decide(const PolicyState& state) const override {
    return oneByOne(state, [this](const PolicyState& seen, const WaitingKernel& waiting) {
      return isBacklog(seen) ? placeInBacklog(seen, waiting) : place(seen, waiting);
    });
  }

  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>& kernels,
                                 const DeviceLimits& limits) const override {
    return planPairs(kernels, limits, parameters_[kMinGain].value, parameters_[kMaxSlowdown].value);
  }

private:
  Goal goal() const { return {parameters_[kMaxSlowdown].value}; }

  /// What one other stream has in flight. Its kernels run in turn, so the longest of them stands
  /// for all where budgets are chosen.
  struct Lane {
    uint64_t stream = 0;
    std::vector<const RunningKernel*> entries;
    const RunningKernel* longest = nullptr;
  };
  struct Join {
    uint32_t budget = 0; // of the newcomer
    std::vector<std::pair<const RunningKernel*, uint32_t>> others;
    Prediction prediction;
    bool agreed = false;
  };

  static std::vector<Lane> lanesBeside(const PolicyState& state, uint64_t stream) {
    std::vector<Lane> lanes;
    for (const RunningKernel& running : state.running) {
      if (running.stream == stream)
        continue;
      auto lane = std::find_if(lanes.begin(), lanes.end(),
                               [&](const Lane& known) { return known.stream == running.stream; });
      if (lane == lanes.end())
        lane = lanes.insert(lane, Lane{running.stream, {}, nullptr});
      lane->entries.push_back(&running);
      if (!lane->longest || running.kernel->timeUs > lane->longest->kernel->timeUs)
        lane->longest = &running;
    }
    return lanes;
  }

  std::vector<Decision> place(const PolicyState& state, const WaitingKernel& waiting) const {
    const std::vector<Lane> lanes = lanesBeside(state, waiting.stream);
    const Join join = lanes.empty() ? Join() : joined(state, lanes, *waiting.kernel);
    const bool isApart = !lanes.empty() && !join.agreed;
    Decision decision;
    decision.sequence = waiting.sequence;
    decision.set = state.running.empty() || isApart ? waiting.sequence : state.running[0].set;
    if (isApart)
      for (const Lane& lane : lanes)
        for (const RunningKernel* running : lane.entries)
          decision.after.push_back(running->lastSequence);
    std::sort(decision.after.begin(), decision.after.end());
    decision.action = decision.after.empty() ? Action::Start : Action::Wait;
    std::vector<Decision> decisions;
    if (waiting.kernel->takesBudget())
      decision.blocksPerSm = join.agreed ? join.budget : budgetAlone(*waiting.kernel);
    if (join.agreed) {
      decision.blocksPerSmAlone = raisedBudget(*waiting.kernel);
      for (const auto& [running, budget] : join.others)
        lower(*running, budget, decisions);
    }
    if (state.explain)
      decision.reason = reason(lanes, join);
    decisions.push_back(std::move(decision));
    return decisions;
  }

  /// Are launches of several sets in flight? Then nobody knows who will be there when this one
  /// begins, for how long, or whether at all.
  static bool isBacklog(const PolicyState& state) {
    return std::any_of(
        state.running.begin(), state.running.end(),
        [&](const RunningKernel& running) { return running.set != state.running.front().set; });
  }

  /// By the sets of SetPlacement.h, with saturation points for budgets: nearly the full speed also
  /// for who then meets nobody, which budgets made for one partner are not.
  std::vector<Decision> placeInBacklog(const PolicyState& state,
                                       const WaitingKernel& waiting) const {
    const Placement placement = findSet(
        state, waiting,
        [&](const RunningKernel& running, const PolicyKernel& kernel) {
          return pairProblem(state, running, kernel);
        },
        [&](const Demand& sum) {
          return resourceRefusal(sum, smOf(state.limits), {}, state.explain);
        });
    Decision decision = inSet(state, waiting, placement.set);
    const auto neighbours = neighboursOf(state, decision.set, waiting.stream);
    if (waiting.kernel->takesBudget())
      decision.blocksPerSm =
          neighbours.empty() ? budgetAlone(*waiting.kernel) : waiting.kernel->budget();
    if (!neighbours.empty())
      decision.blocksPerSmAlone = raisedBudget(*waiting.kernel);
    std::vector<Decision> decisions;
    makeRoom(neighbours, decisions);
    if (state.explain)
      decision.reason = std::string("policy bottleneck: in a queue, ") +
                        (neighbours.empty() ? "beside nobody" : "beside others of its set") +
                        (placement.problem.empty() ? "" : "; not earlier: " + placement.problem);
    decisions.push_back(std::move(decision));
    return decisions;
  }

  /// Why not beside each other at their saturation points; "" where that gains.
  std::string pairProblem(const PolicyState& state, const RunningKernel& running,
                          const PolicyKernel& newcomer) const {
    const KernelList pair = {running.kernel, &newcomer};
    const auto budgetOf = [](const PolicyKernel& kernel, bool native) {
      return native ? kernel.occupancyBlocksPerSm : kernel.budget();
    };
    const Budgets budgets = {budgetOf(*running.kernel, running.blocksPerSm == 0),
                             budgetOf(newcomer, !newcomer.takesBudget())};
    Prediction prediction;
    if (fitsTogether(pair, budgets, state.limits))
      (void)budgetsOf(pair, state, budgets, prediction);
    if (prediction.gain >= parameters_[kMinGain].value && prediction.slowdown <= goal().maxSlowdown)
      return "";
    char text[32];
    std::snprintf(text, sizeof text, "', predicted gain %.2f", prediction.gain);
    return state.explain ? "'" + running.kernel->name + text : "no";
  }

  /// Without the device's rates: the predictor knows them better.
  static DeviceLimits smOf(DeviceLimits limits) {
    limits.dramGbPerSecond = limits.gflops = 0;
    return limits;
  }

  Join joined(const PolicyState& state, const std::vector<Lane>& lanes,
              const PolicyKernel& newcomer) const {
    Join join = mixed(state, lanes, newcomer);
    const bool one = lanes.size() == 1 && lanes[0].entries.size() == 1;
    if (join.agreed || !one)
      return join;
    if (std::optional<SmDivision> division = fills(*lanes[0].entries[0], newcomer, state)) {
      join.agreed = true;
      join.budget = bestAlone(newcomer);
      join.others.clear();
      join.prediction = {.count = 2, .gain = division->gain, .slowdown = division->slowdown};
    }
    return join;
  }

  /// Budgets for the longest of each lane and the newcomer; then the lanes' other kernels, which
  /// meet the newcomer as well, get what is left beside these. Only the first is a search.
  Join mixed(const PolicyState& state, const std::vector<Lane>& lanes,
             const PolicyKernel& newcomer) const {
    Join join;
    if (lanes.size() + 1 > kMostTogether)
      return join;
    KernelList members;
    Budgets fixed;
    for (const Lane& lane : lanes) {
      members.push_back(lane.longest->kernel);
      fixed.push_back(fixedBudget(*lane.longest));
    }
    members.push_back(&newcomer);
    fixed.push_back(newcomer.takesBudget() ? 0 : newcomer.occupancyBlocksPerSm);
    const Budgets budgets = budgetsOf(members, state, given(fixed), join.prediction);
    if (budgets.empty() || !worthIt(members, state, join.prediction))
      return join;
    join.budget = budgets.back();
    join.agreed = true;
    for (size_t i = 0; i < lanes.size() && join.agreed; ++i)
      for (const RunningKernel* running : lanes[i].entries)
        join.agreed = join.agreed && addOther(state, members, budgets, i, *running, join);
    return join;
  }

  /// `running` in the place of the i-th member. False where it would be slowed too much.
  bool addOther(const PolicyState& state, KernelList members, Budgets budgets, size_t i,
                const RunningKernel& running, Join& join) const {
    if (running.kernel != members[i]) {
      members[i] = running.kernel;
      budgets[i] = running.kernel->occupancyBlocksPerSm;
      while (budgets[i] > 0 && !fitsTogether(members, budgets, state.limits))
        budgets[i] = running.blocksPerSm ? budgets[i] - 1 : 0; // a native launch keeps what it has
      const Prediction prediction =
          budgets[i] ? predict(members, budgets, state.limits, goal()) : Prediction();
      if (prediction.gain < 1 || prediction.slowdown > goal().maxSlowdown)
        return false;
    }
    join.others.emplace_back(&running, budgets[i]);
    return true;
  }

  /// A native launch has what fits and keeps it; 0 = to be chosen.
  static uint32_t fixedBudget(const RunningKernel& running) {
    return running.blocksPerSm ? 0 : running.kernel->occupancyBlocksPerSm;
  }
  /// As bestBudgets wants them.
  static Budgets given(const Budgets& fixed) {
    return std::all_of(fixed.begin(), fixed.end(), [](uint32_t budget) { return budget == 0; })
               ? Budgets()
               : fixed;
  }

  Budgets budgetsOf(const KernelList& members, const PolicyState& state, const Budgets& fixed,
                    Prediction& prediction) const {
    if (!state.memo)
      return bestBudgets(members, state.limits, fixed, goal(), prediction);
    const PredictionMemo::Answer& answer =
        state.memo->bestBudgets(members, state.limits, fixed, goal());
    prediction = answer.prediction;
    return answer.budgets;
  }

  /// Joined, the set must do `min_gain` times what it does without the newcomer.
  bool worthIt(const KernelList& members, const PolicyState& state,
               const Prediction& prediction) const {
    Prediction before;
    if (members.size() > 2)
      budgetsOf({members.begin(), members.end() - 1}, state, {}, before);
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

  static std::string reason(const std::vector<Lane>& lanes, const Join& join) {
    if (lanes.empty())
      return "policy bottleneck: nobody to join";
    std::string names;
    for (const Lane& lane : lanes)
      for (const RunningKernel* running : lane.entries)
        names += (names.empty() ? "'" : ", '") + running->kernel->name + "'";
    char gain[32];
    std::snprintf(gain, sizeof gain, "%.2f", join.prediction.gain);
    return std::string("policy bottleneck: ") + (join.agreed ? "beside " : "not beside ") + names +
           ", predicted gain " + (join.prediction.count ? gain : "not known");
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
