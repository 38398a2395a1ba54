// PairPlanner.h - a list of kernels into sets of two lanes, by predicted time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short lists are divided exactly: ListDivision.h. For long ones kernels of equal profile are one
// kind, and the best budgets and the gain of every two kinds are predicted once. The pair with the
// largest gain opens a set; the longer kernel is the anchor, the other starts a second lane, and
// further kernels follow there, best gain first, while the anchor lasts. A kernel without a partner
// worth `minGain` runs alone, at its best budget; so does what is left of a set at its end.
// Cost: kinds^2 predictions of tens of microseconds, then n log n. With more kinds than kMostKinds,
// similar ones (utilisation to 1/8, then only the busiest resource) are taken as one, and their
// longest speaks for them.
#pragma once

#include "rt/policy/Policy.h"

#include <vector>

namespace gpusched {

std::vector<CoRunSet> planPairs(const std::vector<PolicyKernel>& kernels,
                                const DeviceLimits& limits, double minGain, double maxSlowdown);

} // namespace gpusched
