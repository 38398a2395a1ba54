// Application.h - what is known of an application from its runs alone.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An application is a program with its input; a job is one run of it. All figures are of a run
// alone on one GPU: means over its time (spec/coscheml.md, "Profile per application") and, for
// those who ask when a resource is used, series over its time (spec/temporal-interference.md).
#pragma once

#include "rt/schema/Profile.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpusched::cluster {

enum Metric : size_t {
#define GPUSCHED_APPLICATION_METRIC(id, name, unit) id,
#include "rt/schema/ApplicationMetrics.def"
  kMetrics
};
/// As in profiles and tables: "gpu_utilisation".
const char* name(Metric metric);

using Metrics = std::array<double, kMetrics>;

struct Application {
  std::string name; // with its input: "sgemm large"
  double timeUs = 0;
  uint64_t peakMemoryBytes = 0;                   // 0 = not known: taken to fit everywhere
  KernelClass kernelClass = KernelClass::Unknown; // of the kernels that take most of its time
  Metrics means = {};
  /// One entry per period of equal length, the last one cut short by the end; at one distance of
  /// periods for all applications. Empty = not known.
  std::vector<Metrics> series;
};

} // namespace gpusched::cluster
