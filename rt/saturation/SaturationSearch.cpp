// SaturationSearch.cpp - which budget to measure next.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/saturation/SaturationSearch.h"

#include "rt/saturation/BlockTimes.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace gpusched {
namespace {

using Times = std::map<uint32_t, double>;

void measureAt(uint32_t blocks, const MeasureTime& measure, Times& times) {
  if (double time = measure(blocks); time > 0)
    times[blocks] = time;
}

SearchedCurve finish(const Times& times, const SaturationParameters& parameters) {
  SearchedCurve found;
  found.curve = BlockTimes(times).curve();
  found.saturationBlocksPerSm = saturationPoint(found.curve, parameters);
  for (const auto& [blocks, time] : times)
    found.measuredBudgets.push_back(blocks);
  return found;
}

/// A budget not yet measured that says most about `point`; 0 when all near it are known.
uint32_t nextBudget(const Times& times, uint32_t point) {
  if (!times.contains(point))
    return point;
  auto at = times.find(point);
  uint32_t below = at == times.begin() ? 0 : std::prev(at)->first;
  uint32_t above = std::next(at) == times.end() ? point : std::next(at)->first;
  bool down = point - below >= above - point;
  uint32_t middle = down ? (below + point) / 2 : (point + above + 1) / 2;
  if (middle > 0 && !times.contains(middle))
    return middle;
  middle = down ? (point + above + 1) / 2 : (below + point) / 2;
  return middle > 0 && !times.contains(middle) ? middle : 0;
}

} // namespace

SearchedCurve measureEveryBudget(uint32_t last, const MeasureTime& measure,
                                 const SaturationParameters& parameters) {
  Times times;
  for (uint32_t blocks = 1; blocks <= last; ++blocks)
    measureAt(blocks, measure, times);
  return finish(times, parameters);
}

SearchedCurve measureFewBudgets(uint32_t last, const MeasureTime& measure,
                                const SaturationParameters& parameters, uint32_t launches) {
  Times times;
  if (last == 0)
    return {};
  measureAt(1, measure, times);
  measureAt(last, measure, times);
  uint32_t used = 2;
  if (!times.contains(1) || !times.contains(last))
    return finish(times, parameters);
  uint32_t next = uint32_t(std::clamp(std::lround(times.at(1) / times.at(last)), 1l, long(last)));
  for (; used < launches; ++used) {
    if (times.contains(next))
      next = nextBudget(times, saturationPoint(BlockTimes(times).curve(), parameters));
    if (next == 0)
      break;
    measureAt(next, measure, times);
    if (!times.contains(next))
      break;
    next = nextBudget(times, saturationPoint(BlockTimes(times).curve(), parameters));
    if (next == 0)
      break;
  }
  return finish(times, parameters);
}

} // namespace gpusched
