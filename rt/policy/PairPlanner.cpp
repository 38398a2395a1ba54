// PairPlanner.cpp - kinds, pairs, sets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/PairPlanner.h"

#include "rt/policy/ListDivision.h"
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

constexpr size_t kMostKinds = 64;

/// Pairs of kinds, predicted when first asked for.
struct Pair {
  Budgets budgets; // empty = not to be run together
  Prediction prediction;
};

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
  std::string key =
      std::to_string(kernel.occupancyBlocksPerSm) + (kernel.takesBudget() ? " " : " alone ");
  for (double share : kernel.utilisation)
    key += " " + std::to_string(equal ? share : std::round(share * 8));
  if (!equal)
    return key;
  for (double value : {double(kernel.registersPerBlock), double(kernel.sharedBytesPerBlock),
                       double(kernel.threadsPerBlock), kernel.stallMemory, kernel.l1Hits,
                       kernel.l1BytesPerWarp, kernel.l2Hits, kernel.l2BytesPerWarp})
    key += " " + std::to_string(value);
  for (double value : kernel.budgetCurve)
    key += " " + std::to_string(value);
  return key;
}

class Planner {
public:
  Planner(const std::vector<PolicyKernel>& kernels, const DeviceLimits& limits, double minGain,
          double maxSlowdown)
      : kernels_(kernels), limits_(limits), minGain_(minGain), goal_{maxSlowdown} {
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
        sets.push_back(
            {{.kernel = pool.back(), .blocksPerSm = budgetAlone(kernels_[pool.back()])}});
    return sets;
  }

private:
  bool group(Likeness likeness) {
    std::map<std::string, size_t> kinds;
    pools_.clear();
    for (size_t i = 0; i < kernels_.size(); ++i) {
      size_t kind = kinds.try_emplace(kindOf(kernels_[i], likeness), kinds.size()).first->second;
      if (kind == kMostKinds)
        return false; // never for SameBottleneck: there are not so many
      if (kind == pools_.size())
        pools_.emplace_back();
      pools_[kind].push_back(i);
    }
    return true;
  }

  const PolicyKernel& longest(size_t kind) const { return kernels_[pools_[kind].back()]; }
  /// A budget found for another of its kind.
  uint32_t atMost(size_t index, uint32_t budget) const {
    return std::min(budget, kernels_[index].occupancyBlocksPerSm);
  }

  bool worthIt(const Prediction& prediction) const {
    return prediction.gain >= minGain_ && prediction.slowdown <= goal_.maxSlowdown;
  }

  const Pair& pair(size_t first, size_t second) {
    std::optional<Pair>& known = pairs_[first * pools_.size() + second];
    if (!known) {
      known.emplace();
      const PolicyKernel &a = longest(first), &b = longest(second);
      known->budgets = bestBudgets({&a, &b}, limits_, {}, goal_, known->prediction);
      if (!worthIt(known->prediction) || !a.hasPersistent || !b.hasPersistent)
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
    CoRunSet set = {{.kernel = anchor,
                     .blocksPerSm = anchorBudget,
                     .blocksPerSmAlone = twinsBudgetAlone(kernels_[anchor])}};
    double left = kernels_[anchor].timeUs; // of the anchor's work
    while (left > 0) {
      size_t index = take(other);
      double lasts = kernels_[index].timeUs / prediction.progress[1];
      set.push_back({.kernel = index,
                     .blocksPerSm = atMost(index, otherBudget),
                     .lane = 1,
                     .blocksPerSmAlone = twinsBudgetAlone(kernels_[index])});
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
                                          goal_, known->second.prediction);
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
  double minGain_;
  Goal goal_;
  std::vector<std::vector<size_t>> pools_; // by kind, longest last
  std::vector<std::optional<Pair>> pairs_;
  std::map<std::array<size_t, 3>, Pair> beside_; // anchor's kind, its budget, the other's kind
};

} // namespace

std::vector<CoRunSet> planPairs(const std::vector<PolicyKernel>& kernels,
                                const DeviceLimits& limits, double minGain, double maxSlowdown) {
  bool timed = std::all_of(kernels.begin(), kernels.end(), [](const PolicyKernel& kernel) {
    return !kernel.profiled || kernel.timeUs > 0;
  });
  if (timed && kernels.size() <= kMostDivided)
    return divideShortList(kernels, limits, minGain, maxSlowdown);
  return Planner(kernels, limits, minGain, maxSlowdown).plan();
}

} // namespace gpusched
