// Overlap.h - what launches that ran at the same time did to each other, from their times alone.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: given when launches began and ended, and how long each takes alone, how much work did
// two kernels do together, over what the device does one after the other? Model: a launch works at
// rate 1 while it is alone. What is left of its work it did beside others, evenly:
//
//   rate = (time alone in full - time it was alone) / time it was not
//
// and while two launches ran, the sum of their rates is the ratio: 1 says that together is as good
// as one after the other. Over a stretch in which only these two kernels ran that sum is exact,
// whatever the shape of their queues; "evenly" only matters where a launch met several kernels.
//
// Left out: launches that met what nobody knows, or two others at one moment; launches that were
// beside others for less than kLeastShare of their own time, for an error in that time then weighs
// too much. Cost: n log n for n launches, with a handful of streams.
//
// Pure.
#pragma once

#include "rt/policy/NoRegret.h"

#include <vector>

namespace gpusched {

/// Launches of one kernel in one stream, one right behind the other.
struct TimedLaunches {
  const PolicyKernel* kernel = nullptr; ///< null: something ran, and what it did is not known
  double beginUs = 0, endUs = 0;
  double aloneUs = 0; ///< what all of it takes alone; 0 = not known
  uint32_t launches = 1;
  bool native = false; ///< no budget
};

struct PairRate {
  const PolicyKernel *first = nullptr, *second = nullptr; ///< by name, in alphabetical order
  PairForm form = PairForm::Budgeted;
  double ratio = 0;    ///< work done together, in microseconds alone, per microsecond
  double launches = 0; ///< so many of the one that had more of them
};

/// Of an overlapping launch's own time alone it was beside others for at least so much.
inline constexpr double kLeastShare = 0.2;
/// Fewer launches say nothing of a pair.
inline constexpr double kLeastLaunches = 0.5;

/// Indices of those with nothing beside them.
std::vector<size_t> ranAlone(const std::vector<TimedLaunches>& launches);
/// Every two kernels once in each form, whatever their configurations.
std::vector<PairRate> pairRates(const std::vector<TimedLaunches>& launches);

} // namespace gpusched
