// Bottleneck.cpp - policy `bottleneck`: co-run where predicted slowdowns leave a gain.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: choose partners and budgets that shorten the whole list without slowing single kernels
// much. Model: Predictor.h, over every resource's utilisation, in place of classes and fixed
// thresholds: a pair gains when its kernels wait for different things.
//
// Offline: kernels of equal profile are one kind. For each pair of kinds the best budgets and the
// gain are predicted once. Then, until nothing is left: take the pair with the largest gain; the
// longer kernel is the anchor of a set, the other starts a second lane beside it, and more
// kernels follow in that lane, best gain first, until the anchor is covered. A kernel without a
// partner worth `min_gain` runs alone at its best budget. When only one lane is left, its kernel
// gets its best budget.
// Online: a launch joins the newest set if the predicted gain of all together is at least
// `min_gain` times that of those before, else it opens a new set behind. Budgets of the set's
// kernels are lowered to make room.
//
// Cost: kinds^2 predictions of tens of microseconds, then n log n. With more kinds than
// kMostKinds, similar ones (utilisation to 1/8, then only the busiest resource) are taken as
// one, and their longest speaks for them.
#include "rt/policy/Predictor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <string>

namespace gpusched {
namespace {

enum Parameter { kMinGain, kMaxSlowdown };
constexpr size_t kMostKinds = 64;

/// Pairs of kinds, predicted when first asked for.
struct Pair {
  Budgets budgets; // empty = not to be run together
  Prediction prediction;
};

uint32_t bestAlone(const PolicyKernel& kernel) {
  uint32_t best = kernel.occupancyBlocksPerSm;
  for (uint32_t blocks = 1; blocks <= kernel.occupancyBlocksPerSm; ++blocks)
    if (performanceAt(kernel, blocks) > performanceAt(kernel, best) * 1.001)
      best = blocks;
  return best;
}

/// How alike kernels must be to be one kind.
enum class Likeness { Equal, Similar, SameBottleneck };

/// Fields that decide how a kernel gets on with others, as text.
std::string kindOf(const PolicyKernel& kernel, Likeness likeness) {
  if (likeness == Likeness::SameBottleneck) {
    auto busiest = std::max_element(kernel.utilisation.begin(), kernel.utilisation.end());
    return std::to_string(busiest - kernel.utilisation.begin()) + " " +
           std::to_string(std::bit_width(kernel.occupancyBlocksPerSm));
  }
  bool equal = likeness == Likeness::Equal;
  std::string key = std::to_string(kernel.occupancyBlocksPerSm);
  for (double share : kernel.utilisation)
    key += " " + std::to_string(equal ? share : std::round(share * 8));
  if (!equal)
    return key;
  key += " " + std::to_string(kernel.registersPerBlock) + " " +
         std::to_string(kernel.sharedBytesPerBlock) + " " + std::to_string(kernel.threadsPerBlock);
  for (double value : kernel.budgetCurve)
    key += " " + std::to_string(value);
  return key;
}

class Planner {
public:
  Planner(const std::vector<PolicyKernel>& kernels, const DeviceLimits& limits, double minGain,
          double maxSlowdown)
      : kernels_(kernels), limits_(limits), minGain_(minGain), maxSlowdown_(maxSlowdown) {
    for (Likeness likeness : {Likeness::Equal, Likeness::Similar, Likeness::SameBottleneck})
      if (group(likeness))
        break;
    for (std::vector<size_t>& pool : pools_)
      std::stable_sort(pool.begin(), pool.end(), [&](size_t a, size_t b) {
        return kernels[a].timeUs < kernels[b].timeUs; // the longest is taken from the back
      });
    pairs_.resize(pools_.size() * pools_.size());
  }

  std::vector<CoRunSet> plan() {
    std::vector<CoRunSet> sets;
    while (std::optional<std::pair<size_t, size_t>> best = bestPair())
      sets.push_back(coRun(best->first, best->second));
    for (std::vector<size_t>& pool : pools_)
      for (; !pool.empty(); pool.pop_back())
        sets.push_back({{.kernel = pool.back(), .blocksPerSm = budgetAlone(pool.back())}});
    return sets;
  }

private:
  bool group(Likeness likeness) {
    std::map<std::string, size_t> kinds;
    pools_.clear();
    for (size_t i = 0; i < kernels_.size(); ++i) {
      size_t kind = kinds.try_emplace(kindOf(kernels_[i], likeness), kinds.size()).first->second;
      if (kind == pools_.size())
        pools_.emplace_back();
      pools_[kind].push_back(i);
    }
    return pools_.size() <= kMostKinds;
  }

  const PolicyKernel& longest(size_t kind) const { return kernels_[pools_[kind].back()]; }
  uint32_t budgetAlone(size_t index) const {
    const PolicyKernel& kernel = kernels_[index];
    return kernel.profiled && kernel.hasPersistent ? bestAlone(kernel) : 0;
  }

  /// A budget found for another of its kind.
  uint32_t atMost(size_t index, uint32_t budget) const {
    return std::min(budget, kernels_[index].occupancyBlocksPerSm);
  }

  bool worthIt(const Prediction& prediction) const {
    return prediction.gain >= minGain_ && prediction.slowest() >= 1 / maxSlowdown_;
  }

  const Pair& pair(size_t first, size_t second) {
    std::optional<Pair>& known = pairs_[first * pools_.size() + second];
    if (!known) {
      known.emplace();
      known->budgets = bestBudgets({&longest(first), &longest(second)}, limits_, {},
                                   1 / maxSlowdown_, known->prediction);
      if (known->budgets.empty() || !worthIt(known->prediction))
        known->budgets.clear();
    }
    return *known;
  }

  std::optional<std::pair<size_t, size_t>> bestPair() {
    std::optional<std::pair<size_t, size_t>> best;
    double mostGain = 0;
    for (size_t a = 0; a < pools_.size(); ++a)
      for (size_t b = a + 1; b < pools_.size(); ++b) {
        if (pools_[a].empty() || pools_[b].empty() || pair(a, b).budgets.empty())
          continue;
        double gain = pair(a, b).prediction.gain - 1;
        if (gain > mostGain)
          mostGain = gain, best = {a, b};
      }
    return best;
  }

  size_t take(size_t kind) {
    size_t index = pools_[kind].back();
    pools_[kind].pop_back();
    return index;
  }

  /// The longer of the two is covered by a lane of partners.
  CoRunSet coRun(size_t first, size_t second) {
    const Pair& chosen = pair(first, second);
    bool firstLonger = longest(first).timeUs / chosen.prediction.progress[0] >=
                       longest(second).timeUs / chosen.prediction.progress[1];
    size_t anchorKind = firstLonger ? first : second, other = firstLonger ? second : first;
    uint32_t anchorBudget = chosen.budgets[firstLonger ? 0 : 1];
    uint32_t otherBudget = chosen.budgets[firstLonger ? 1 : 0];
    Prediction prediction = chosen.prediction;
    if (!firstLonger)
      std::swap(prediction.progress[0], prediction.progress[1]);
    size_t anchor = take(anchorKind);
    CoRunSet set = {
        {.kernel = anchor, .blocksPerSm = anchorBudget, .blocksPerSmAlone = budgetAlone(anchor)}};
    double left = kernels_[anchor].timeUs; // of the anchor's work
    while (left > 0) {
      size_t index = take(other);
      double lasts = kernels_[index].timeUs / prediction.progress[1];
      set.push_back({.kernel = index,
                     .blocksPerSm = atMost(index, otherBudget),
                     .lane = 1,
                     .blocksPerSmAlone = budgetAlone(index)});
      left -= lasts * prediction.progress[0];
      std::optional<size_t> next =
          bestBeside(kernels_[anchor], anchorKind, anchorBudget, left, otherBudget, prediction);
      if (!next)
        break;
      other = *next;
    }
    return set;
  }

  /// One of a kind beside an anchor whose budget is given.
  const Pair& beside(const PolicyKernel& anchor, size_t anchorKind, uint32_t anchorBudget,
                     size_t kind) {
    auto [known, isNew] = beside_.try_emplace({anchorKind, anchorBudget, kind});
    if (isNew)
      known->second.budgets = bestBudgets({&anchor, &longest(kind)}, limits_, {anchorBudget, 0},
                                          1 / maxSlowdown_, known->second.prediction);
    return known->second;
  }

  /// The kind that gains most beside the anchor at its budget, for what is left of the anchor.
  std::optional<size_t> bestBeside(const PolicyKernel& anchor, size_t anchorKind,
                                   uint32_t anchorBudget, double left, uint32_t& budget,
                                   Prediction& prediction) {
    std::optional<size_t> best;
    for (size_t kind = 0; kind < pools_.size() && left > 0; ++kind) {
      if (pools_[kind].empty())
        continue;
      const Pair& tried = beside(anchor, anchorKind, anchorBudget, kind);
      // Not for the short end of the anchor: the kernel would mostly run beside nobody.
      bool covered = !tried.budgets.empty() && longest(kind).timeUs <= 2 * left;
      if (!covered || !worthIt(tried.prediction) ||
          (best && tried.prediction.gain <= prediction.gain))
        continue;
      best = kind;
      budget = tried.budgets[1];
      prediction = tried.prediction;
    }
    return best;
  }

  const std::vector<PolicyKernel>& kernels_;
  const DeviceLimits& limits_;
  double minGain_, maxSlowdown_;
  std::vector<std::vector<size_t>> pools_; // by kind, longest last
  std::vector<std::optional<Pair>> pairs_;
  std::map<std::array<size_t, 3>, Pair> beside_; // anchor's kind, its budget, the other's kind
};

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
      seen.running.push_back({waiting.sequence, waiting.sequence, waiting.stream, made.set,
                              made.blocksPerSm, waiting.kernel});
    }
    return decisions;
  }

  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>& kernels,
                                 const DeviceLimits& limits) const override {
    return Planner(kernels, limits, parameters_[kMinGain].value, parameters_[kMaxSlowdown].value)
        .plan();
  }

private:
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
      budgets =
          bestBudgets(members, state.limits, {}, 1 / parameters_[kMaxSlowdown].value, prediction);
    bool join = !budgets.empty() && worthIt(members, state.limits, prediction);
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
    if (waiting.kernel->profiled && waiting.kernel->hasPersistent)
      decision.blocksPerSm = budgets.back();
    if (state.explain)
      decision.reason = reason(newest, join, prediction);
    decisions.push_back(std::move(decision));
  }

  /// Joined, the set must do `min_gain` times what it does without the newcomer.
  bool worthIt(const KernelList& members, const DeviceLimits& limits,
               const Prediction& prediction) const {
    double leastProgress = 1 / parameters_[kMaxSlowdown].value;
    Prediction before;
    before.gain = 1;
    if (members.size() > 2)
      bestBudgets({members.begin(), members.end() - 1}, limits, {}, leastProgress, before);
    return prediction.gain >= parameters_[kMinGain].value * before.gain &&
           prediction.slowest() >= leastProgress;
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
      {"max_slowdown", "times", 1.45,
       "no kernel of a set may be predicted slower than this; 3 for throughput alone",
       "ours: keeps ANTT below K-Scheduler's (benchmarks/papers/kscheduler)"},
  };
};

} // namespace

std::unique_ptr<Policy> makeBottleneck() {
  return std::make_unique<Bottleneck>();
}

} // namespace gpusched
