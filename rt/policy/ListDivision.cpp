// ListDivision.cpp - subsets, then moves.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/ListDivision.h"

#include "rt/policy/Predictor.h"
#include "rt/policy/SmDivision.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace gpusched {
namespace {

constexpr double kWorthMoving = 0.01; // of the kernel's time alone: less is noise

/// Two kernels together: by budgets on all SMs, or with the SMs divided.
struct Pair {
  Budgets budgets = {};
  std::optional<SmDivision> division = {}; // then `small` is the one whose grid leaves SMs
  size_t small = 0;
  double timeUs = 0;
  bool none() const { return budgets.empty() && !division; }
};

/// A set with two lanes in predicted time.
struct Course {
  double endUs[2] = {0, 0}; // of each lane
  bool within = true;       // no kernel beyond the limit
  double timeUs() const { return std::max(endUs[0], endUs[1]); }
};

class Division {
public:
  Division(const std::vector<PolicyKernel>& kernels, const DeviceLimits& limits, double minGain,
           double maxSlowdown)
      : kernels_(kernels), limits_(limits), minGain_(minGain), maxSlowdown_(maxSlowdown),
        pairs_(kernels.size() * kernels.size()) {
    for (size_t a = 0; a < kernels.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        predictPair(a, b);
  }

  std::vector<CoRunSet> plan() {
    std::vector<CoRunSet> sets = leastOfAll();
    while (moveOne(sets)) {
    }
    return sets;
  }

private:
  Pair& pair(size_t a, size_t b) {
    return pairs_[std::max(a, b) * kernels_.size() + std::min(a, b)];
  }
  double aloneUs(size_t index) const { return bestAloneUs(kernels_[index]); }
  Member memberOf(size_t index, uint32_t blocks, uint32_t lane) const {
    const uint32_t budget = blocks ? blocks : budgetAlone(kernels_[index]);
    return {.kernel = index,
            .blocksPerSm = budget,
            .lane = lane,
            .blocksPerSmAlone = budget ? twinsBudgetAlone(kernels_[index]) : 0};
  }

  void predictPair(size_t a, size_t b) {
    mix(a, b);
    divide(a, b);
    divide(b, a);
  }

  void mix(size_t a, size_t b) {
    if (!kernels_[a].takesBudget() || !kernels_[b].takesBudget())
      return;
    Prediction prediction;
    Budgets budgets =
        bestBudgets({&kernels_[a], &kernels_[b]}, limits_, {}, {maxSlowdown_, true}, prediction);
    if (prediction.gain >= minGain_ && prediction.slowdown <= maxSlowdown_)
      pair(a, b) = {.budgets = budgets, .timeUs = prediction.timeUs};
  }

  /// Divided SMs where that takes less than budgets.
  void divide(size_t small, size_t other) {
    std::optional<SmDivision> division = divideSms(kernels_[small], kernels_[other], limits_);
    if (!division || division->gain < minGain_ || division->slowdown > maxSlowdown_)
      return;
    Pair& known = pair(small, other);
    if (known.none() || division->timeUs() < known.timeUs)
      known = {.division = division, .small = small, .timeUs = division->timeUs()};
  }

  CoRunSet single(size_t index) const { return {memberOf(index, 0, 0)}; }
  /// The longer kernel first. `a` is the larger index: the order of the pair's budgets.
  CoRunSet together(size_t a, size_t b) {
    if (a < b)
      std::swap(a, b);
    if (const Pair& chosen = pair(a, b); chosen.division) {
      const size_t small = chosen.small, other = small == a ? b : a;
      return dividedSet(*chosen.division, small, kernels_[small], other, kernels_[other], limits_);
    }
    const Budgets& budgets = pair(a, b).budgets;
    bool swap = kernels_[b].timeUs > kernels_[a].timeUs;
    return {memberOf(swap ? b : a, budgets[swap], 0), memberOf(swap ? a : b, budgets[!swap], 1)};
  }

  /// Null for a set that shares its SMs by budgets.
  const SmDivision* divisionOf(const CoRunSet& set) {
    if (set.size() != 2)
      return nullptr;
    const Pair& both = pair(set[0].kernel, set[1].kernel);
    return both.division ? &*both.division : nullptr;
  }

  std::vector<CoRunSet> leastOfAll();
  const std::array<double, 2>& speeds(const Member& a, const Member& b);
  Course courseOf(const CoRunSet& set);
  std::optional<CoRunSet> with(const CoRunSet& set, size_t index);
  std::optional<CoRunSet> without(const CoRunSet& set, size_t place) const;
  bool moveOne(std::vector<CoRunSet>& sets);

  const std::vector<PolicyKernel>& kernels_;
  const DeviceLimits& limits_;
  double minGain_, maxSlowdown_;
  std::vector<Pair> pairs_;
  std::map<std::array<size_t, 4>, std::array<double, 2>> speeds_;
};

/// Dynamic programming over subsets, the first kernel not yet taken next.
std::vector<CoRunSet> Division::leastOfAll() {
  struct Step {
    double timeUs = std::numeric_limits<double>::infinity();
    size_t from = 0, a = 0, b = 0; // a == b: alone
  };
  const size_t count = kernels_.size();
  std::vector<Step> least(size_t(1) << count);
  least[0].timeUs = 0;
  for (size_t taken = 0; taken + 1 < least.size(); ++taken) {
    size_t a = 0;
    while (taken >> a & 1)
      ++a;
    for (size_t b = a; b < count; ++b) {
      if (taken >> b & 1 || (a != b && pair(a, b).none()))
        continue;
      Step& next = least[taken | size_t(1) << a | size_t(1) << b];
      double time = least[taken].timeUs + (a == b ? aloneUs(a) : pair(a, b).timeUs);
      if (time < next.timeUs)
        next = {time, taken, a, b};
    }
  }
  std::vector<CoRunSet> sets;
  for (size_t at = least.size() - 1; at != 0; at = least[at].from)
    sets.push_back(least[at].a == least[at].b ? single(least[at].a)
                                              : together(least[at].a, least[at].b));
  std::reverse(sets.begin(), sets.end());
  return sets;
}

const std::array<double, 2>& Division::speeds(const Member& a, const Member& b) {
  auto [known, isNew] = speeds_.try_emplace({a.kernel, a.blocksPerSm, b.kernel, b.blocksPerSm});
  if (isNew) {
    Prediction prediction = predict({&kernels_[a.kernel], &kernels_[b.kernel]},
                                    {a.blocksPerSm, b.blocksPerSm}, limits_);
    known->second = {prediction.progress[0], prediction.progress[1]};
  }
  return known->second;
}

Course Division::courseOf(const CoRunSet& set) {
  std::vector<const Member*> lanes[2];
  for (const Member& member : set)
    lanes[member.lane].push_back(&member);
  Course course;
  if (const SmDivision* division = divisionOf(set)) {
    std::copy(division->endUs.begin(), division->endUs.end(), course.endUs);
    return course;
  }
  double left[2] = {1, 1}, begun[2] = {0, 0}; // of each lane's kernel
  size_t at[2] = {0, 0};
  auto ended = [&](size_t lane) {
    const PolicyKernel& kernel = kernels_[lanes[lane][at[lane]]->kernel];
    course.within &= course.endUs[lane] - begun[lane] <= maxSlowdown_ * kernel.timeUs;
    ++at[lane], left[lane] = 1, begun[lane] = course.endUs[lane];
  };
  double now = 0;
  while (at[0] < lanes[0].size() && at[1] < lanes[1].size()) {
    const Member* members[2] = {lanes[0][at[0]], lanes[1][at[1]]};
    const std::array<double, 2>& speed = speeds(*members[0], *members[1]);
    double until[2];
    for (size_t lane = 0; lane < 2; ++lane)
      until[lane] = left[lane] * kernels_[members[lane]->kernel].timeUs / speed[lane];
    size_t first = until[0] <= until[1] ? 0 : 1;
    now += until[first];
    course.endUs[first] = now;
    left[1 - first] *= 1 - until[first] / until[1 - first];
    ended(first);
  }
  for (size_t lane = 0; lane < 2; ++lane)
    while (at[lane] < lanes[lane].size()) {
      now += left[lane] * aloneUs(lanes[lane][at[lane]]->kernel);
      course.endUs[lane] = now;
      ended(lane);
    }
  return course;
}

/// The set with one more kernel: a pair, or at the end of the lane that ends first.
std::optional<CoRunSet> Division::with(const CoRunSet& set, size_t index) {
  if (set.size() == 1) {
    if (pair(set[0].kernel, index).none())
      return {};
    return together(set[0].kernel, index);
  }
  if (!kernels_[index].takesBudget() || divisionOf(set))
    return {};
  Course before = courseOf(set);
  uint32_t lane = before.endUs[0] < before.endUs[1] ? 0 : 1;
  auto beside = std::find_if(set.rbegin(), set.rend(),
                             [&](const Member& member) { return member.lane != lane; });
  Prediction prediction;
  Budgets budgets = bestBudgets({&kernels_[beside->kernel], &kernels_[index]}, limits_,
                                {beside->blocksPerSm, 0}, {maxSlowdown_}, prediction);
  if (budgets.empty() || prediction.gain < minGain_)
    return {};
  CoRunSet more = set;
  more.push_back(memberOf(index, budgets[1], lane));
  return courseOf(more).within ? std::optional<CoRunSet>(more) : std::nullopt;
}

/// What stays when a kernel leaves; nothing when others were placed beside it. Empty: it was alone.
std::optional<CoRunSet> Division::without(const CoRunSet& set, size_t place) const {
  if (set.size() > 2)
    return {};
  return set.size() == 1 ? CoRunSet{} : single(set[1 - place].kernel);
}

/// The first move that saves time; false when none does.
bool Division::moveOne(std::vector<CoRunSet>& sets) {
  for (size_t from = 0; from < sets.size(); ++from)
    for (size_t place = 0; place < sets[from].size(); ++place) {
      const size_t index = sets[from][place].kernel;
      const std::optional<CoRunSet> rest = without(sets[from], place);
      if (!rest)
        continue;
      const double fromUs = courseOf(sets[from]).timeUs(), restUs = courseOf(*rest).timeUs();
      for (size_t to = 0; to < sets.size(); ++to) {
        const std::optional<CoRunSet> more = to == from ? std::nullopt : with(sets[to], index);
        if (!more)
          continue;
        const double before = fromUs + courseOf(sets[to]).timeUs();
        const double after = restUs + courseOf(*more).timeUs();
        if (before - after < kWorthMoving * kernels_[index].timeUs)
          continue;
        sets[to] = *more;
        sets[from] = *rest;
        if (rest->empty())
          sets.erase(sets.begin() + std::ptrdiff_t(from));
        return true;
      }
    }
  return false;
}

} // namespace

std::vector<CoRunSet> divideShortList(const std::vector<PolicyKernel>& kernels,
                                      const DeviceLimits& limits, double minGain,
                                      double maxSlowdown) {
  return Division(kernels, limits, minGain, maxSlowdown).plan();
}

} // namespace gpusched
