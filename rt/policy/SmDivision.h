// SmDivision.h - a kernel whose grid is smaller than the device, and one for the SMs it leaves.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: a grid of fewer blocks than SMs leaves the others idle. Budgets cannot give them away:
// they hold on every SM, also where the small kernel is not; and beside one block with much shared
// memory nothing may fit at all.
// Plan: no block of the other fits beside one of the small kernel: both on all SMs, the small one
// first. The hardware gives the other what is left, and all SMs once the small one is over.
// Else: the small kernel gets as many SMs as it has blocks, the other the rest, to the end of each.
// Model: the small kernel is as fast as alone; the other loses in proportion to the SMs it has not;
// both lose what L2 and DRAM make them wait (Predictor.h, with nothing but these). Pure.
#pragma once

#include "rt/policy/Policy.h"

#include <array>
#include <optional>

namespace gpusched {

struct SmDivision {
  bool ownSms = false;           // false: both on all SMs
  std::array<double, 2> endUs;   // of the small kernel and of the other, from their common start
  double gain = 0, slowdown = 0; // as in Prediction
  double timeUs() const { return endUs[0] > endUs[1] ? endUs[0] : endUs[1]; }
};

/// Does its grid leave SMs to others?
bool leavesSms(const PolicyKernel& kernel, const DeviceLimits& limits);

/// Nothing when `small` leaves no SMs, or a time is not known, or it would need a budget that a
/// kernel does not take.
std::optional<SmDivision> divideSms(const PolicyKernel& small, const PolicyKernel& other,
                                    const DeviceLimits& limits);

/// The set that carries it out: two lanes, the small kernel first. Indices are the list's.
CoRunSet dividedSet(const SmDivision& division, size_t smallIndex, const PolicyKernel& small,
                    size_t otherIndex, const PolicyKernel& other, const DeviceLimits& limits);

} // namespace gpusched
