// Overlap.cpp - from the times that launches spent beside each other to their rates.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/Overlap.h"

#include "rt/support/Sweep.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace gpusched {
namespace {

std::vector<Interval<double>> timesOf(const std::vector<TimedLaunches>& launches) {
  std::vector<Interval<double>> times;
  for (const TimedLaunches& each : launches)
    times.push_back({each.beginUs, each.endUs});
  return times;
}

/// How one span of launches spent its time.
struct Shares {
  double aloneUs = 0, besideUs = 0;
  bool clean = true;
};

std::vector<Shares> sharesOf(const std::vector<TimedLaunches>& launches) {
  std::vector<Shares> shares(launches.size());
  sweep(timesOf(launches), [&](const std::vector<size_t>& running, double length) {
    const bool known = running.size() <= 2 &&
                       std::all_of(running.begin(), running.end(),
                                   [&](size_t index) { return launches[index].kernel != nullptr; });
    for (size_t index : running) {
      (running.size() == 1 ? shares[index].aloneUs : shares[index].besideUs) += length;
      shares[index].clean &= known;
    }
  });
  return shares;
}

/// Of its own speed, while beside others; negative: not to be told.
double rateOf(const TimedLaunches& launches, const Shares& shares) {
  if (!shares.clean || launches.aloneUs <= 0 || shares.besideUs < kLeastShare * launches.aloneUs)
    return -1;
  return std::max(0.0, launches.aloneUs - shares.aloneUs) / shares.besideUs;
}

struct Sum {
  PairRate pair;
  double work = 0, time = 0;
  double launches[2] = {};
};

} // namespace

std::vector<size_t> ranAlone(const std::vector<TimedLaunches>& launches) {
  std::vector<size_t> alone;
  const std::vector<Shares> shares = sharesOf(launches);
  for (size_t i = 0; i < launches.size(); ++i)
    if (shares[i].clean && shares[i].aloneUs > 0 && shares[i].besideUs == 0)
      alone.push_back(i);
  return alone;
}

std::vector<PairRate> pairRates(const std::vector<TimedLaunches>& launches) {
  const std::vector<Shares> shares = sharesOf(launches);
  std::map<std::tuple<std::string, std::string, PairForm>, Sum> sums;
  sweep(timesOf(launches), [&](const std::vector<size_t>& running, double length) {
    if (running.size() != 2)
      return;
    size_t first = running[0], second = running[1];
    const double rates[] = {rateOf(launches[first], shares[first]),
                            rateOf(launches[second], shares[second])};
    if (rates[0] < 0 || rates[1] < 0)
      return;
    if (launches[second].kernel->name < launches[first].kernel->name)
      std::swap(first, second);
    const PairForm form = pairForm(launches[first].native, launches[second].native);
    Sum& sum = sums[{launches[first].kernel->name, launches[second].kernel->name, form}];
    sum.pair.first = launches[first].kernel, sum.pair.second = launches[second].kernel;
    sum.pair.form = form;
    sum.work += (rates[0] + rates[1]) * length;
    sum.time += length;
    for (size_t side : {0, 1}) {
      const TimedLaunches& one = launches[side == 0 ? first : second];
      sum.launches[side] += one.launches * length / (one.endUs - one.beginUs);
    }
  });
  std::vector<PairRate> pairs;
  for (auto& [key, sum] : sums) {
    sum.pair.ratio = sum.work / sum.time;
    sum.pair.launches = std::max(sum.launches[0], sum.launches[1]);
    if (sum.pair.launches >= kLeastLaunches)
      pairs.push_back(sum.pair);
  }
  return pairs;
}

} // namespace gpusched
