// Options.cpp - what `gpusched run` asked of the cpu device, from the environment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/Options.h"

#include "rt/support/Environment.h"

namespace gpusched::cudart {

static constexpr uint64_t kMostWorkers = 1024;

Options optionsFromEnvironment() {
  Options options;
  options.gpu = environment("GPUSCHED_GPU");
  options.seed = environmentNumber("GPUSCHED_SCHEDULE");
  options.workers = unsigned(environmentNumber("GPUSCHED_WORKERS", kMostWorkers));
  options.memoryFill = uint8_t(environmentNumber("GPUSCHED_FILL", UINT8_MAX));
  options.countersFile = environment("GPUSCHED_COUNTERS");
  return options;
}

} // namespace gpusched::cudart
