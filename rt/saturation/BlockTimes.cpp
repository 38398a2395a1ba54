// BlockTimes.cpp - launches to block times and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/saturation/BlockTimes.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace gpusched {
namespace {

constexpr double kRounding = 1e-9;
constexpr double kMostApart = 0.05;
constexpr double kLeastOfMean = 0.5; // of the mean wave: noise must not pass it

} // namespace

BlockTimes::BlockTimes(const std::map<uint32_t, double>& timeByBlocks, double gridPerSm)
    : gridPerSm_(gridPerSm) {
  if (learnAll(timeByBlocks) || gridPerSm_ <= 0)
    return;
  gridPerSm_ = 0;
  (void)learnAll(timeByBlocks);
}

/// False where launches do not come out as they were.
bool BlockTimes::learnAll(const std::map<uint32_t, double>& timeByBlocks) {
  times_.clear();
  for (const auto& [blocks, time] : timeByBlocks) {
    learn(blocks, time);
    lastBudget_ = blocks;
  }
  return std::all_of(timeByBlocks.begin(), timeByBlocks.end(), [&](const auto& launch) {
    return std::fabs(ofLaunch(launch.first) / launch.second - 1) < kMostApart;
  });
}

BlockTimes::Waves BlockTimes::wavesOf(uint32_t blocksPerSm) const {
  const double full = std::floor(gridPerSm_ / blocksPerSm + kRounding);
  const double rest = gridPerSm_ - full * blocksPerSm;
  return {full, rest > kRounding ? rest : 0};
}

/// The rest's time is known, or between the last budget and this one, or this one's own.
void BlockTimes::learn(uint32_t blocksPerSm, double time) {
  if (gridPerSm_ <= 0) {
    times_[blocksPerSm] = time * blocksPerSm;
    return;
  }
  const Waves waves = wavesOf(blocksPerSm);
  if (waves.full == 0) {
    times_[waves.rest] = time;
    return;
  }
  double known = 0, own = waves.full;
  if (waves.rest > 0 && times_.empty()) {
    own += 1;
  } else if (waves.rest > 0) {
    const auto& [last, lastTime] = *times_.rbegin();
    const double part = std::max(0.0, (waves.rest - last) / (blocksPerSm - last));
    known = part > 0 ? (1 - part) * lastTime : ofBlock(waves.rest);
    own += part;
  }
  const double mean = time / (waves.full + (waves.rest > 0));
  times_[blocksPerSm] = std::max((time - known) / own, kLeastOfMean * mean);
}

double BlockTimes::ofBlock(double resident) const {
  if (times_.empty())
    return 0;
  const auto above = times_.lower_bound(resident);
  if (above == times_.begin())
    return above->second;
  if (above == times_.end())
    return times_.rbegin()->second;
  const auto below = std::prev(above);
  const double part = (resident - below->first) / (above->first - below->first);
  return (1 - part) * below->second + part * above->second;
}

double BlockTimes::ofLaunch(uint32_t blocksPerSm) const {
  if (gridPerSm_ <= 0)
    return ofBlock(blocksPerSm) / blocksPerSm;
  const Waves waves = wavesOf(blocksPerSm);
  return (waves.full > 0 ? waves.full * ofBlock(blocksPerSm) : 0) +
         (waves.rest > 0 ? ofBlock(waves.rest) : 0);
}

std::vector<double> BlockTimes::curve() const {
  std::vector<double> speeds;
  for (uint32_t blocks = 1; blocks <= lastBudget_; ++blocks)
    speeds.push_back(1 / ofLaunch(blocks));
  const double best = speeds.empty() ? 1 : *std::max_element(speeds.begin(), speeds.end());
  for (double& speed : speeds)
    speed /= best;
  return speeds;
}

} // namespace gpusched
