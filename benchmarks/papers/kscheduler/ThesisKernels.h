// ThesisKernels.h - the 18 kernels of the K-Scheduler thesis as kernels of the sim device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs: published.json (tables 6 and 7: resources, stall mix, EPC, class; GB/s and GFLOP/s of one
// kernel each) and counters.json (instruction mix and sectors of our own versions, counted by the
// cpu device). What each number of the result rests on is in README.md, section "Method".
#pragma once

#include "rt/device/sim/SimKernel.h"

#include <map>
#include <string>
#include <vector>

namespace gpusched::thesis {

/// A published budget curve: time in ms by blocks per SM, and the parameters fitted on it.
struct Curve {
  const char* kernel;
  std::map<uint32_t, double> milliseconds;
  Resource bottleneck; // whose utilisation is fitted
  bool cache;          // a working set per warp is fitted too
};
const std::vector<Curve>& curves();

struct Fit {
  double utilisation = 0, bytesPerWarp = 0;
  double meanError = 0; // mean |modelled / published - 1| over the curve's points
};

struct Kernels {
  std::vector<sim::SimKernel> all; // in the order of the table; names of the thesis
  std::vector<KernelProfile> profiles;
  std::map<std::string, Fit> fits;
  size_t indexOf(const std::string& name) const;
};

/// `folder` holds the two files. Kernels without a published time get `otherMs`.
Result<Kernels> load(const std::string& folder, const DeviceDescription& device,
                     double otherMs = 60);

/// The same kernels with other times alone.
void setTime(sim::SimKernel& kernel, double timeUs);

} // namespace gpusched::thesis
