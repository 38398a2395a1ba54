// BlockTimes.h - how long a launch takes by blocks per SM, from a few measured budgets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: between measured budgets a curve must be guessed, and a grid of few waves makes it a
// staircase: 1024 blocks on 132 SMs take two waves with 7 on each and one with 8, which a line
// from 2 to 8 does not show.
// Model: with b blocks on each SM a block takes L(b), linear between budgets and constant before
// the first; that is exact for a kernel that waits (L constant) and for one that fills a resource
// (L in proportion). A launch of g blocks per SM takes floor(g / b) waves of L(b), then its rest
// with what the rest fills. With no grid known, L(b) / b: no waves show.
// From measured launches L follows budget by budget, the smallest first. Where the launches cannot
// be put together again from that, they had other grids than they are said to have, and no waves
// are assumed. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace gpusched {

class BlockTimes {
public:
  /// `timeByBlocks`: of launches, any unit, at blocks per SM from 1. `gridPerSm`: blocks of a
  /// launch by SMs; 0 = not known.
  explicit BlockTimes(const std::map<uint32_t, double>& timeByBlocks, double gridPerSm = 0);

  /// Of one block with so many on its SM, in the launches' unit; not known: per gridPerSm = 1.
  double ofBlock(double resident) const;
  /// Of a launch. 0 where no times were given.
  double ofLaunch(uint32_t blocksPerSm) const;
  /// Performance at 1..last measured budget, relative to its maximum; empty for no times.
  std::vector<double> curve() const;

private:
  struct Waves {
    double full, rest; ///< rest: blocks per SM, 0 = nothing is left
  };
  Waves wavesOf(uint32_t blocksPerSm) const;
  bool learnAll(const std::map<uint32_t, double>& timeByBlocks);
  void learn(uint32_t blocksPerSm, double time);

  double gridPerSm_;
  uint32_t lastBudget_ = 0;
  std::map<double, double> times_; ///< L by blocks that were resident
};

} // namespace gpusched
