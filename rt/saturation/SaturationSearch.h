// SaturationSearch.h - a kernel's budget curve and saturation point from at most a few launches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: the thesis measures every budget; on a device a launch costs time. Model: performance
// rises in proportion, bends once and is then flat or falls (research/cupti.md 5.6).
//   1. measure 1 and the last budget; the rise meets the plateau at k = perf(last) / perf(1)
//   2. measure k, then the saturation point of the curve so far, or, if that is measured, the
//      middle of the wider gap beside it, until `launches` are used up
//   3. between measured budgets BlockTimes.h, without waves; a peak is seen when an inner point is
//      the best
// Against every budget, over 600 shapes: within one block for 95 % (test/rt/saturation_test.cpp).
// The definition of the point is SaturationPoint.h's in both forms. Pure but for `measure`.
#pragma once

#include "rt/saturation/SaturationPoint.h"

#include <functional>

namespace gpusched {

/// Time of the kernel with so many blocks per SM, any unit; 0 or less = could not be measured.
using MeasureTime = std::function<double(uint32_t blocksPerSm)>;

struct SearchedCurve {
  std::vector<double> curve; // performance at 1..last, relative to its maximum
  std::vector<uint32_t> measuredBudgets;
  uint32_t saturationBlocksPerSm = 0;
};

inline constexpr uint32_t kFewLaunches = 5;

/// Every budget from 1 to `last`, as the thesis does.
SearchedCurve measureEveryBudget(uint32_t last, const MeasureTime& measure,
                                 const SaturationParameters& parameters = {});
/// At most `launches` budgets, at least 2.
SearchedCurve measureFewBudgets(uint32_t last, const MeasureTime& measure,
                                const SaturationParameters& parameters = {},
                                uint32_t launches = kFewLaunches);

} // namespace gpusched
