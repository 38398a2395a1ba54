// Classifier.h - the class of a kernel from its stall reasons.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: spec/kscheduler.md, "Classes". Memory when memory dependency reaches the threshold, L1
// cache when texture (L1) stalls do, Compute otherwise; the larger of the two when both do.
// Percent are of all stall reasons, as in data/kscheduler_kernels.json.
//
// The thesis names S = 33 % for its test bed, which gives 17 of its 18 published classes:
// 3DConvolution is called L1 cache at 31.64 %. Every S above 26.25 (FDTD3d is not Memory) and up
// to 31.64 reproduces all 18; kPublishedThreshold is one of these. test/rt/classifier_test.cpp.
#pragma once

#include "rt/schema/Profile.h"

namespace gpusched {

inline constexpr double kThesisThreshold = 33.0;    // percent
inline constexpr double kPublishedThreshold = 30.0; // percent

/// Unknown when the profile has no stall reasons at all.
KernelClass classify(const DynamicProfile& profile, double thresholdPercent = kThesisThreshold);

} // namespace gpusched
