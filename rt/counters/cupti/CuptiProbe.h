// CuptiProbe.h - can this process count on this device, and if not, what is in the way?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the safe order, each step only after the one before it:
//   CudaDriver (proof of library, cuInit, device) -> cuptiProfilerInitialize -> chip name
//   -> chip has metrics -> device supported, field by field -> enable a range profiler once
// The last step is the only way to learn of missing permission or of another profiler at work.
// It takes the device's primary context, gives it back, and leaves the profiler disabled.
#pragma once

#include "rt/counters/cupti/Cupti.h"
#include "rt/device/cuda/CudaDriver.h"

#include <string>

namespace gpusched {

struct CuptiProbe {
  std::string chip; ///< "GH100"; empty when the profiler did not start
  Status counters;  ///< ok, or why nothing can be counted
  CuptiObstacle obstacle = CuptiObstacle::None;
};

CuptiProbe probeCupti(const Cupti& cupti, const CudaDriver& driver, int ordinal);

/// cuptiProfilerInitialize, once for the process; the name of the device's chip.
Result<std::string> startProfiler(const Cupti& cupti, int ordinal, CuptiObstacle& obstacle);

} // namespace gpusched
