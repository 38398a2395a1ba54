// ListDivision.h - a short list of kernels into sets of two lanes, with the least predicted time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   1. every two kernels: the best budgets, and how long both take (Predictor.h), or divided SMs
//      where a small grid leaves some (SmDivision.h)
//   2. the division into pairs and single kernels that takes least, of all divisions
//   3. single kernels, and those of a pair, move to the lane of another set that ends early, as
//      long as the predicted time falls
// Together only where that is `minGain` better than apart and no kernel takes more than
// `maxSlowdown` of its time alone. Cost: n^2 predictions of tens of microseconds, n 2^n steps.
#pragma once

#include "rt/policy/Policy.h"

#include <vector>

namespace gpusched {

inline constexpr size_t kMostDivided = 12;

/// REQUIRES: at most kMostDivided kernels.
std::vector<CoRunSet> divideShortList(const std::vector<PolicyKernel>& kernels,
                                      const DeviceLimits& limits, double minGain,
                                      double maxSlowdown);

} // namespace gpusched
