// Preemptive.cpp - policy `preemptive`: the best combination runs, if need be by preemption.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: kernels arrive at any time; the one that suits those that run is not always the next.
// Model (spec/preemptive.md): a combination is worth the predicted sum of norm_ipc, else its
// classes rank it (Combination.h).
//
// Lanes: launches of one set run one after the other, at most `limit` sets at a time. The first of
// a set runs, the others wait for it.
//   fewer than `limit` run   of the preempted kernel and the newcomer the one starts that makes
//                            the better combination; ties go to the preempted one
//   `limit` run              the newcomer preempts one of them if the gain exceeds the cost
//                            (PreemptionGain.h), else it waits in the lane that ends first
// Preempted = least budget, one block per SM: a launch with no worker would end, and what follows
// it in its stream would begin before its blocks are done. It has its budget back at the first
// arrival that finds a place free and nobody better, and without any once nobody else is left
// (rt/launch/Elastic.cpp): no program has to come by. One kernel is preempted at a time: two would
// wait for each other's end. None is that others of its lane wait for: they would begin when it
// ends, with its place long taken.
//
// Cost: one prediction for each kernel that could be preempted. Every wait is for an earlier
// launch.
#include "rt/policy/Combination.h"
#include "rt/policy/PredictionMemo.h"
#include "rt/policy/PreemptionGain.h"
#include "rt/policy/SetPlacement.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpusched {
namespace {

constexpr uint32_t kLeastBudget = 1; // of a preempted kernel
constexpr size_t kWindow = 32;       // kernels that the offline form looks at for a partner

enum Parameter {
  kLimit,
  kPreempt,
  kMinGain,
  kMaxSlowdown,
  kDecayMemory,
  kContextSwitch,
  kDrainBlocks,
  kClockMhz,
  kWholeRest
};

std::vector<PolicyParameter> defaults() {
  return {
      {"limit", "kernels", 2, "how many run at the same time, 1 to 3",
       "patent: pairs; the predictor knows three at most"},
      {"preempt", "0 or 1", 1, "0: nobody is preempted, everything else as with 1",
       "to measure what preemption brings"},
      {"min_gain", "of the value without", 0.02, "less gain than this preempts nobody",
       "patent: 0; ours, as the predictor errs by that much"},
      {"max_slowdown", "times", 3,
       "budgets keep every kernel of a combination above this, if some do",
       "ours: throughput, but nobody starves"},
      {"decay_memory", "of its speed", 0.9,
       "speed that a memory kernel keeps while its neighbour is preempted; compute kernels: 1",
       "patent: 0.83 to 0.97"},
      {"context_switch", "0 or 1", 0,
       "cost of a preemption: 0 blocks in flight drain, 1 the patent's context switch",
       "0: what a twin does; 1: patent, preempt_cycle"},
      {"drain_blocks", "block times", 1.5, "how long blocks in flight take to drain",
       "ours: half of the one under way and one claimed before the worker sees the new budget"},
      {"clock", "MHz", 1500, "of the SMs, to turn the patent's cycles into time",
       "ours: between a Titan Xp's 1582 and an A100's 1410"},
      {"whole_rest", "0 or 1", 0,
       "1: the gain lasts until the first of what runs would have ended; 0: or the newcomer has",
       "1: patent; 0: ours, for who is preempted then comes back"},
  };
}

/// What one set has in flight: the first entry runs, the others wait for it.
struct Lane {
  uint64_t set = 0;
  std::vector<const RunningKernel*> entries;

  const RunningKernel& head() const { return *entries.front(); }
  const RunningKernel& last() const { return *entries.back(); }
  bool isPreempted() const { return head().preempted; }
};

std::vector<Lane> lanesOf(const PolicyState& state) {
  std::vector<Lane> lanes;
  for (const RunningKernel& running : state.running) {
    auto lane = std::find_if(lanes.begin(), lanes.end(),
                             [&](const Lane& known) { return known.set == running.set; });
    if (lane == lanes.end())
      lane = lanes.insert(lane, Lane{running.set, {}});
    lane->entries.push_back(&running);
  }
  return lanes;
}

uint64_t less(uint64_t limit, uint64_t taken) {
  return limit == 0 ? 0 : std::max<uint64_t>(1, limit - std::min(limit, taken));
}

/// What a preempted kernel's blocks leave.
DeviceLimits besides(DeviceLimits limits, const PolicyKernel& preempted) {
  limits.registersPerSm = less(limits.registersPerSm, kLeastBudget * preempted.registersPerBlock);
  limits.sharedBytesPerSm =
      less(limits.sharedBytesPerSm, kLeastBudget * preempted.sharedBytesPerBlock);
  limits.blocksPerSm = uint32_t(less(limits.blocksPerSm, kLeastBudget));
  limits.threadsPerSm =
      uint32_t(less(limits.threadsPerSm, kLeastBudget * preempted.threadsPerBlock));
  return limits;
}

Decision newBudget(const RunningKernel& running, uint32_t blocksPerSm) {
  Decision decision;
  decision.action = Action::SetBudget;
  decision.sequence = running.lastSequence;
  decision.blocksPerSm = blocksPerSm;
  return decision;
}

/// What `running` has left, as time alone. Where that is not known, half of its time is what a
/// random moment finds in the mean.
double leftUs(const RunningKernel& running, bool isHead) {
  if (running.leftUs > 0)
    return running.leftUs;
  return isHead ? running.kernel->timeUs / 2 : running.kernel->timeUs;
}

class Preemptive final : public Policy {
public:
  const char* name() const override { return "preemptive"; }
  bool wantsProfiles() const override { return true; }
  bool preempts() const override { return true; }

  std::vector<Decision> decide(const PolicyState& state) const override {
    if (state.waiting.size() == 1) // as the runtime asks: nothing is copied
      return next(state).decisions;
    std::vector<Decision> all;
    PolicyState seen = state;
    while (!seen.waiting.empty()) {
      const Step step = next(seen);
      carryOut(step.decisions, step.waiting, seen);
      all.insert(all.end(), step.decisions.begin(), step.decisions.end());
      std::erase_if(seen.waiting, [&](const WaitingKernel& waiting) {
        return waiting.sequence == step.waiting.sequence;
      });
    }
    return all;
  }

  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>& kernels,
                                 const DeviceLimits& limits) const override;

private:
  /// One waiting kernel with all that is decided for its sake; its own decision is the last.
  struct Step {
    WaitingKernel waiting;
    std::vector<Decision> decisions;
  };
  struct Preemption {
    const RunningKernel* preempted = nullptr;
    std::vector<const RunningKernel*> staying;
    Combination then;
    double sumNow = 0, gainUs = 0, costUs = 0;
  };

  /// Of the offline form: indices of the list, and what they make together.
  struct Chosen {
    std::vector<size_t> members;
    Combination together;
  };

  size_t limit() const {
    return size_t(std::clamp(parameters_[kLimit].value, 1.0, double(kMostTogether)));
  }
  Goal goal() const { return {parameters_[kMaxSlowdown].value}; }

  Step next(const PolicyState& state) const;
  Step startBest(const PolicyState& state, const std::vector<const WaitingKernel*>& ready,
                 const std::vector<const RunningKernel*>& heads) const;
  Step resume(const PolicyState& state, const RunningKernel& preempted,
              const Combination& combination, const std::vector<const RunningKernel*>& heads) const;
  std::optional<Step> preempt(const PolicyState& state,
                              const std::vector<const WaitingKernel*>& ready,
                              const std::vector<const RunningKernel*>& heads) const;
  std::optional<Preemption> worth(const PolicyState& state, const PolicyKernel& newcomer,
                                  const std::vector<const RunningKernel*>& heads,
                                  const RunningKernel& preempted) const;
  Step follow(const PolicyState& state, const WaitingKernel& waiting,
              const std::vector<Lane>& lanes, const Lane& lane) const;

  void addPartner(const PolicyState& state, const std::vector<PolicyKernel>& kernels,
                  std::vector<size_t>& rest, Chosen& chosen) const;
  static CoRunSet setOf(const std::vector<PolicyKernel>& kernels, const Chosen& chosen);
  double costUs(const PolicyState& state, const Preemption& preemption, double progress) const;
  double decay(const std::vector<const RunningKernel*>& staying) const;

  std::vector<PolicyParameter>* mutableParameters() override { return &parameters_; }
  std::vector<PolicyParameter> parameters_ = defaults();
};

/// The first of each stream that has nothing in flight: what could begin now.
std::vector<const WaitingKernel*> readyOf(const PolicyState& state) {
  std::vector<const WaitingKernel*> ready;
  for (const WaitingKernel& waiting : state.waiting) {
    const bool isBehind =
        std::any_of(
            state.running.begin(), state.running.end(),
            [&](const RunningKernel& running) { return running.stream == waiting.stream; }) ||
        std::any_of(ready.begin(), ready.end(), [&](const WaitingKernel* earlier) {
          return earlier->stream == waiting.stream;
        });
    if (!isBehind)
      ready.push_back(&waiting);
  }
  return ready;
}

/// Where the stream's last launch is; 0 = nowhere.
uint64_t laneOfStream(const PolicyState& state, uint64_t stream) {
  const RunningKernel* last = nullptr;
  for (const RunningKernel& running : state.running)
    if (running.stream == stream && (!last || running.lastSequence > last->lastSequence))
      last = &running;
  return last ? last->set : 0;
}

/// Null = none is.
const RunningKernel* preemptedOf(const PolicyState& state) {
  for (const RunningKernel& running : state.running)
    if (running.preempted)
      return &running;
  return nullptr;
}

/// The lane that ends first, by time alone. Where a time is not known, the one whose last launch is
/// the oldest.
const Lane& firstToEnd(const std::vector<Lane>& lanes) {
  std::vector<std::pair<double, const Lane*>> order;
  bool known = true;
  for (const Lane& lane : lanes) {
    double left = 0;
    for (const RunningKernel* running : lane.entries) {
      left += leftUs(*running, running == lane.entries.front());
      known = known && leftUs(*running, false) > 0;
    }
    if (!lane.isPreempted())
      order.emplace_back(left, &lane);
  }
  return *std::min_element(order.begin(), order.end(), [&](const auto& a, const auto& b) {
            const uint64_t lastOfA = a.second->last().lastSequence;
            const uint64_t lastOfB = b.second->last().lastSequence;
            return known && a.first != b.first ? a.first < b.first : lastOfA < lastOfB;
          })->second;
}

/// Budgets of a combination whose first members run, and the raise to what each has alone.
void shareOut(const Combination& combination, const std::vector<const RunningKernel*>& beside,
              std::vector<Decision>& decisions) {
  for (size_t i = 0; i < beside.size() && combination.known(); ++i) {
    const uint32_t budget = combination.budgets[i];
    const bool isWorthIt = budget < beside[i]->blocksPerSm || raisedBudget(*beside[i]->kernel) > 0;
    if (beside[i]->blocksPerSm != 0 && budget != beside[i]->blocksPerSm && isWorthIt)
      decisions.push_back(newBudget(*beside[i], budget));
  }
}

Decision startOf(const WaitingKernel& waiting, const Combination& combination) {
  Decision decision;
  decision.sequence = decision.set = waiting.sequence;
  if (!waiting.kernel->takesBudget())
    return decision;
  const bool isAlone = combination.kernels.size() == 1;
  const bool shares = combination.known() && !isAlone;
  decision.blocksPerSm = shares ? combination.budgets.back() : budgetAlone(*waiting.kernel);
  decision.blocksPerSmAlone = isAlone ? 0 : raisedBudget(*waiting.kernel);
  return decision;
}

std::string namesOf(const std::vector<const RunningKernel*>& kernels) {
  std::string names;
  for (const RunningKernel* running : kernels)
    names += (names.empty() ? "'" : ", '") + running->kernel->name + "'";
  return names;
}

std::string worthOf(const Combination& combination) {
  char text[48];
  std::snprintf(text, sizeof text, "sum of norm_ipc %.2f", combination.sum());
  return combination.known() ? text : "by class";
}

Preemptive::Step Preemptive::next(const PolicyState& state) const {
  const std::vector<Lane> lanes = lanesOf(state);
  std::vector<const RunningKernel*> heads;
  for (const Lane& lane : lanes)
    if (!lane.isPreempted())
      heads.push_back(&lane.head());
  const std::vector<const WaitingKernel*> ready = readyOf(state);
  if (heads.size() < limit() && (!ready.empty() || preemptedOf(state)))
    return startBest(state, ready, heads);
  if (std::optional<Step> step = preempt(state, ready, heads))
    return *step;
  const WaitingKernel& waiting = state.waiting.front();
  const uint64_t own = laneOfStream(state, waiting.stream);
  for (const Lane& lane : lanes)
    if (lane.set == own && (!lane.isPreempted() || heads.empty()))
      return follow(state, waiting, lanes, lane);
  return follow(state, waiting, lanes, firstToEnd(lanes));
}

/// REQUIRES: fewer than `limit` run, somebody is ready or preempted.
Preemptive::Step Preemptive::startBest(const PolicyState& state,
                                       const std::vector<const WaitingKernel*>& ready,
                                       const std::vector<const RunningKernel*>& heads) const {
  const RunningKernel* preempted = preemptedOf(state);
  const DeviceLimits limits = preempted ? besides(state.limits, *preempted->kernel) : state.limits;
  const WaitingKernel* chosen = nullptr;
  Combination best;
  for (const WaitingKernel* waiting : ready) {
    Combination tried = combine(state, heads, *waiting->kernel, limits, goal());
    if (!chosen || isBetter(tried, best))
      chosen = waiting, best = std::move(tried);
  }
  if (preempted) {
    const Combination back = combine(state, heads, *preempted->kernel, state.limits, goal());
    if (!chosen || !isBetter(best, back))
      return resume(state, *preempted, back, heads);
  }
  Step step{*chosen, {}};
  shareOut(best, heads, step.decisions);
  Decision own = startOf(*chosen, best);
  if (state.explain)
    own.reason =
        "policy preemptive: " + (heads.empty() ? std::string("nobody runs")
                                               : "beside " + namesOf(heads) + ", " + worthOf(best));
  step.decisions.push_back(std::move(own));
  return step;
}

/// The preempted kernel has its place again; then the question is asked anew.
Preemptive::Step Preemptive::resume(const PolicyState& state, const RunningKernel& preempted,
                                    const Combination& combination,
                                    const std::vector<const RunningKernel*>& heads) const {
  std::vector<Decision> decisions;
  shareOut(combination, heads, decisions);
  const uint32_t budget = heads.empty()         ? bestAlone(*preempted.kernel)
                          : combination.known() ? combination.budgets.back()
                                                : preempted.kernel->budget();
  decisions.push_back(newBudget(preempted, std::max(budget, kLeastBudget)));
  PolicyState resumed = state;
  carryOut(decisions, resumed.running);
  Step step = next(resumed);
  step.decisions.insert(step.decisions.begin(), decisions.begin(), decisions.end());
  return step;
}

/// The preemption that gains most, if one gains more than it costs.
std::optional<Preemptive::Step>
Preemptive::preempt(const PolicyState& state, const std::vector<const WaitingKernel*>& ready,
                    const std::vector<const RunningKernel*>& heads) const {
  if (parameters_[kPreempt].value == 0 || preemptedOf(state))
    return std::nullopt;
  std::optional<Preemption> best;
  const WaitingKernel* chosen = nullptr;
  for (const WaitingKernel* waiting : ready)
    for (const RunningKernel* head : heads)
      if (std::optional<Preemption> tried = worth(state, *waiting->kernel, heads, *head))
        if (!best || tried->gainUs > best->gainUs)
          best = std::move(tried), chosen = waiting;
  if (!best)
    return std::nullopt;
  Step step{*chosen, {}};
  shareOut(best->then, best->staying, step.decisions);
  Decision away = newBudget(*best->preempted, kLeastBudget);
  away.preempts = true;
  step.decisions.push_back(std::move(away));
  Decision own = startOf(*chosen, best->then);
  if (state.explain) {
    char text[160];
    std::snprintf(text, sizeof text, "', sum of norm_ipc %.2f for %.2f, gain %.0f us, cost %.0f us",
                  best->then.sum(), best->sumNow, best->gainUs, best->costUs);
    own.reason = "policy preemptive: preempts '" + best->preempted->kernel->name + text;
  }
  step.decisions.push_back(std::move(own));
  return step;
}

/// What it brings to preempt one of `heads`; none where it cannot be, something is not known, or
/// it does not pay.
std::optional<Preemptive::Preemption>
Preemptive::worth(const PolicyState& state, const PolicyKernel& newcomer,
                  const std::vector<const RunningKernel*>& heads,
                  const RunningKernel& preempted) const {
  const bool isWaitedFor =
      std::any_of(state.running.begin(), state.running.end(), [&](const RunningKernel& running) {
        return running.set == preempted.set && &running != &preempted;
      });
  if (preempted.blocksPerSm <= kLeastBudget || isWaitedFor || heads.size() < 2 ||
      heads.size() > limit())
    return std::nullopt;
  Combination now;
  Preemption found;
  found.preempted = &preempted;
  for (const RunningKernel* head : heads) {
    now.kernels.push_back(head->kernel);
    now.budgets.push_back(head->blocksPerSm ? head->blocksPerSm
                                            : head->kernel->occupancyBlocksPerSm);
    if (head != &preempted)
      found.staying.push_back(head);
  }
  // Where these budgets do not fit together, this says too much: a reason less to preempt.
  now.prediction = predict(now.kernels, now.budgets, state.limits);
  found.then =
      combine(state, found.staying, newcomer, besides(state.limits, *preempted.kernel), goal());
  if (!now.known() || !found.then.known())
    return std::nullopt;
  PreemptionCase preemption{.sumNow = now.sum(), .sumThen = found.then.sum(), .restUs = 0};
  double progress = 0;
  for (size_t i = 0; i < heads.size(); ++i) {
    const double rest = leftUs(*heads[i], true) / now.prediction.progress[i];
    preemption.restUs = i ? std::min(preemption.restUs, rest) : rest;
    (heads[i] == &preempted ? progress : preemption.staying) += now.prediction.progress[i];
  }
  found.costUs = preemption.costUs = costUs(state, found, progress);
  if (parameters_[kWholeRest].value == 0)
    preemption.restUs =
        std::min(preemption.restUs,
                 found.costUs + newcomer.timeUs / found.then.prediction.progress[heads.size() - 1]);
  preemption.decay = decay(found.staying);
  found.sumNow = preemption.sumNow;
  found.gainUs = preemptionGain(preemption);
  const double least = parameters_[kMinGain].value * preemption.sumNow * preemption.restUs;
  if (found.costUs <= 0 || found.gainUs <= least)
    return std::nullopt;
  return found;
}

/// 0 = not known.
double Preemptive::costUs(const PolicyState& state, const Preemption& preemption,
                          double progress) const {
  const RunningKernel& preempted = *preemption.preempted;
  if (parameters_[kContextSwitch].value == 0)
    return parameters_[kDrainBlocks].value *
           blockUs(*preempted.kernel, preempted.blocksPerSm, state.limits.sms, progress);
  double missRate = 0;
  for (const RunningKernel* staying : preemption.staying)
    missRate = std::max(missRate, 1 - staying->kernel->l2Hits);
  return contextSwitchCycles(*preempted.kernel, preempted.blocksPerSm, missRate) /
         parameters_[kClockMhz].value;
}

double Preemptive::decay(const std::vector<const RunningKernel*>& staying) const {
  const bool isCompute =
      std::all_of(staying.begin(), staying.end(), [](const RunningKernel* running) {
        return running->kernel->kernelClass == KernelClass::Compute;
      });
  return isCompute ? 1 : parameters_[kDecayMemory].value;
}

/// At the end of a lane: begins when the lane's others have ended.
Preemptive::Step Preemptive::follow(const PolicyState& state, const WaitingKernel& waiting,
                                    const std::vector<Lane>& lanes, const Lane& lane) const {
  const RunningKernel& last = lane.last();
  Decision own;
  own.sequence = waiting.sequence;
  own.set = lane.set;
  if (last.stream != waiting.stream)
    own.after = {last.lastSequence};
  own.action = own.after.empty() ? Action::Start : Action::Wait;
  const bool isRepeated = last.stream == waiting.stream && last.kernel == waiting.kernel;
  if (isRepeated && !lane.isPreempted())
    own.blocksPerSm = last.blocksPerSm; // counts as one with it
  else if (waiting.kernel->takesBudget())
    own.blocksPerSm = lanes.size() == 1 ? budgetAlone(*waiting.kernel) : waiting.kernel->budget();
  if (lanes.size() > 1)
    own.blocksPerSmAlone = raisedBudget(*waiting.kernel);
  if (state.explain)
    own.reason = std::string("policy preemptive: behind '") + last.kernel->name +
                 (last.stream == waiting.stream ? "', as in its stream" : "', the first to end");
  return {waiting, {std::move(own)}};
}

/// Takes the one of `rest` out of it that makes the best combination with the members.
void Preemptive::addPartner(const PolicyState& state, const std::vector<PolicyKernel>& kernels,
                            std::vector<size_t>& rest, Chosen& chosen) const {
  std::vector<RunningKernel> members;
  for (size_t member : chosen.members)
    members.push_back(
        {.blocksPerSm = twinsBudgetAlone(kernels[member]), .kernel = &kernels[member]});
  std::vector<const RunningKernel*> beside;
  for (const RunningKernel& member : members)
    beside.push_back(&member);
  size_t best = 0;
  for (size_t i = 0; i < std::min(rest.size(), kWindow); ++i) {
    Combination tried = combine(state, beside, kernels[rest[i]], state.limits, goal());
    if (i == 0 || isBetter(tried, chosen.together))
      best = i, chosen.together = std::move(tried);
  }
  chosen.members.push_back(rest[best]);
  rest.erase(rest.begin() + std::ptrdiff_t(best));
}

CoRunSet Preemptive::setOf(const std::vector<PolicyKernel>& kernels, const Chosen& chosen) {
  const bool isAlone = chosen.members.size() == 1;
  const bool shares =
      chosen.together.known() && chosen.together.kernels.size() == chosen.members.size();
  CoRunSet set;
  for (uint32_t lane = 0; lane < chosen.members.size(); ++lane) {
    const PolicyKernel& kernel = kernels[chosen.members[lane]];
    Member member = {.kernel = chosen.members[lane], .lane = lane};
    if (kernel.takesBudget() && !isAlone)
      member.blocksPerSm = shares ? chosen.together.budgets[lane] : kernel.budget();
    if (member.blocksPerSm != 0)
      member.blocksPerSmAlone = twinsBudgetAlone(kernel);
    set.push_back(std::move(member));
  }
  return set;
}

/// All at once there is nothing to preempt: the first kernel and its best partners, again and
/// again.
std::vector<CoRunSet> Preemptive::schedule(const std::vector<PolicyKernel>& kernels,
                                           const DeviceLimits& limits) const {
  PredictionMemo memo;
  PolicyState state;
  state.limits = limits;
  state.memo = &memo;
  std::vector<size_t> rest(kernels.size());
  std::iota(rest.begin(), rest.end(), 0);
  std::vector<CoRunSet> sets;
  while (!rest.empty()) {
    Chosen chosen{{rest.front()}, {}};
    rest.erase(rest.begin());
    while (chosen.members.size() < limit() && !rest.empty())
      addPartner(state, kernels, rest, chosen);
    sets.push_back(setOf(kernels, chosen));
  }
  return sets;
}

} // namespace

std::unique_ptr<Policy> makePreemptive() {
  return std::make_unique<Preemptive>();
}

} // namespace gpusched
