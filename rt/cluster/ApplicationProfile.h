// ApplicationProfile.h - means and series of an application from what its kernels are like, and
// when they ran.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The documents take an application's metrics from a sampling profiler. Here they are put together:
// each kernel's are known from its profile, and the trace of a run alone says when it ran. Copies
// and memory are not in a trace, so they stay 0.
#pragma once

#include "rt/schema/Application.h"
#include "rt/schema/DeviceDescription.h"
#include "rt/schema/Trace.h"

#include <vector>

namespace gpusched::cluster {

/// Between two samples (spec/temporal-interference.md, "Temporal profiler": 70 ms).
inline constexpr double kSampleUs = 70e3;

/// What a kernel that runs alone shows. `occupancy`: share of an SM's warp slots.
Metrics kernelMetrics(const Utilisation& utilisation, double eligibleWarpsPerCycle, uint64_t blocks,
                      uint32_t sms, double occupancy);

/// Adds up what goes on, in order of time.
class MetricRecorder {
public:
  explicit MetricRecorder(double sampleUs = kSampleUs) : sampleUs_(sampleUs) {}

  void add(double us, const Metrics& metrics);
  /// Sets time, means and series.
  void finish(Application& application);

private:
  double sampleUs_, totalUs_ = 0, inSampleUs_ = 0;
  Metrics sums_ = {}; // times microseconds
  std::vector<Metrics> series_;
};

/// From the first submission to the last end of a run as launched. Kernels that run at the same
/// time add up; shares to 1 at most. Error: no launch has times, or a kernel has no dynamic profile
/// in `profiles`.
Result<Application> applicationOf(const TraceFile& trace,
                                  const std::vector<KernelProfile>& profiles,
                                  const DeviceDescription& device, double sampleUs = kSampleUs);

} // namespace gpusched::cluster
