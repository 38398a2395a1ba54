// KernelSpans.h - when kernels ran, and which of them ran beside others.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: a profile's times are those of a kernel alone, and the program that is measured may
// launch in several streams. Model: a launch ran beside others if more than kLeastBeside of its
// time was also another one's; less than that is within what times differ from run to run, and
// what the edges of two launches in a row may show. Cost: that of a sweep (rt/support/Sweep.h).
//
// Pure.
#pragma once

#include "rt/counters/KernelSums.h"

#include <cstdint>
#include <vector>

namespace gpusched {

/// One kernel's life on the device, on one clock for all of them.
struct KernelSpan {
  LaunchShape shape;
  uint64_t startNs = 0, endNs = 0;
  uint32_t registersPerThread = 0; ///< 0 = not known, nor is the next
  uint64_t staticSharedBytes = 0;
};

inline constexpr double kLeastBeside = 0.02;

/// Of each span, in the order given: did it run beside others?
std::vector<bool> ranBesideOthers(const std::vector<KernelSpan>& spans);

/// Times of launches: of a kernel that was alone in some of them, those only. And what a block of
/// them takes.
KernelSums sumTimes(const std::vector<KernelSpan>& spans);

} // namespace gpusched
