// SaturationPoint.cpp - the definition, written out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last point of a curve always qualifies (nothing follows it), so the search ends.
#include "rt/saturation/SaturationPoint.h"

#include <algorithm>
#include <cmath>

namespace gpusched {
namespace {

bool saturated(const std::vector<double>& performance, size_t index,
               const SaturationParameters& parameters) {
  for (size_t w = 1; w <= parameters.window && index + w < performance.size(); ++w)
    if (performance[index] * std::pow(1 + parameters.ratePerBlock, double(w)) <
        performance[index + w])
      return false;
  return true;
}

double interpolate(const std::map<uint32_t, double>& timeByBlocks, uint32_t blocks) {
  std::map<uint32_t, double>::const_iterator above = timeByBlocks.lower_bound(blocks);
  if (above->first == blocks)
    return 1 / above->second;
  if (above == timeByBlocks.begin())
    return double(blocks) / above->first / above->second;
  std::map<uint32_t, double>::const_iterator below = std::prev(above);
  double part = double(blocks - below->first) / (above->first - below->first);
  return (1 - part) / below->second + part / above->second;
}

} // namespace

uint32_t saturationPoint(const std::vector<double>& performance,
                         const SaturationParameters& parameters) {
  for (size_t index = 0; index < performance.size(); ++index)
    if (saturated(performance, index, parameters))
      return uint32_t(index + 1);
  return 0;
}

double slotsFreed(const std::vector<double>& performance, uint32_t most, double slowdown) {
  const size_t last = std::min<size_t>(most, performance.size());
  for (size_t blocks = 1; blocks <= last; ++blocks)
    if (performance[blocks - 1] * (1 + slowdown) >= performance[last - 1])
      return 1 - double(blocks) / most;
  return 0;
}

std::vector<double> performanceCurve(const std::map<uint32_t, double>& timeByBlocks) {
  std::vector<double> curve;
  if (timeByBlocks.empty())
    return curve;
  for (uint32_t blocks = 1; blocks <= timeByBlocks.rbegin()->first; ++blocks)
    curve.push_back(interpolate(timeByBlocks, blocks));
  double best = *std::max_element(curve.begin(), curve.end());
  for (double& value : curve)
    value /= best;
  return curve;
}

} // namespace gpusched
