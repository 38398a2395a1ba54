// SaturationPoint.h - the fewest blocks per SM that give nearly the best performance.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: spec/kscheduler.md, "Saturation point". With Perf[j] = 1 / kernel time at j active blocks
// per SM, j is the saturation point when for every w in 1..window
//     Perf[j] * (1 + rate)^w >= Perf[j + w]
// that is, no window of up to `window` further blocks buys `rate` per block. The smallest such
// j wins. Points past the end of the curve ask nothing. Cost: blocks x window comparisons.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace gpusched {

struct SaturationParameters {
  /// Rate_tb, gain per block. The thesis leaves the value open; 5 % puts the knees of its four
  /// published curves where its text says they are (test/rt/saturation_test.cpp).
  double ratePerBlock = 0.05;
  /// W_SIZE, blocks. Ours: a grid of few waves has wide steps (BlockTimes.h), and at 5 % the widest
  /// that is worth its blocks is one of 14 that halves the time.
  uint32_t window = 14;
};

/// `performance[j-1]` at j blocks per SM, any unit. 0 for an empty curve.
uint32_t saturationPoint(const std::vector<double>& performance,
                         const SaturationParameters& parameters = {});

/// Of the `most` block slots per SM that a kernel fills by itself, the share that is free at the
/// smallest budget that is at most `slowdown` slower than all of them. 0 for an empty curve.
double slotsFreed(const std::vector<double>& performance, uint32_t most, double slowdown);

/// Performance at 1..last from times measured at some budgets, linear in performance between
/// them. Before the first measured budget it grows in proportion. Relative to its maximum.
std::vector<double> performanceCurve(const std::map<uint32_t, double>& timeByBlocks);

} // namespace gpusched
