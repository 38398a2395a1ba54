// Application.cpp - names of an application's metrics.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/schema/Application.h"

namespace gpusched::cluster {

const char* name(Metric metric) {
  static constexpr const char* kNames[] = {
#define GPUSCHED_APPLICATION_METRIC(id, name, unit) name,
#include "rt/schema/ApplicationMetrics.def"
  };
  return kNames[metric];
}

} // namespace gpusched::cluster
