// TemporalProfile.h - PM samples as the fifteen time series of the temporal profiler.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: spec/temporal-interference.md, "Temporal profiler". There the series come from a thread
// beside the kernel every 70 ms and have the kernel's length; here each has KernelSums::kBins
// entries on the kernel's progress, so series of different runs, and of different sets of
// counters, line up. A bin that no sample fell into is NaN.
#pragma once

#include "rt/schema/Measurement.h"

#include <vector>

namespace gpusched {

/// From the measurements of source "pm" among `files`; kernels without any of the fifteen are left
/// out. The result's source is "temporal".
MeasurementFile temporalProfile(const std::vector<MeasurementFile>& files);

} // namespace gpusched
