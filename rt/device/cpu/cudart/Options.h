// Options.h - what `gpusched run` asked of the cpu device, from the environment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/cudart/Connections.h"
#include "rt/device/cpu/engine/Gpu.h"

#include <cstdint>
#include <string>

namespace gpusched::cudart {

struct Options {
  std::string gpu;              // GPUSCHED_GPU: description name or path
  uint64_t seed = 0;            // GPUSCHED_SCHEDULE=seed: 0 = deterministic block order
  uint64_t blockOrder = 0;      // GPUSCHED_SCHEDULE=order:n
  std::string ordersFile;       // GPUSCHED_SCHEDULE_ORDERS: where the number of orders goes at exit
  unsigned hangSeconds = 0;     // GPUSCHED_HANG: patience with kernels that repeat themselves
  unsigned workers = 0;         // GPUSCHED_WORKERS: host threads; 0 = number of cores
  int devices = 1;              // GPUSCHED_DEVICE_COUNT: how many it plays, see CurrentDevice.h
  ConnectionLimits connections; // GPUSCHED_CONNECTIONS: COUNT[:DEPTH], as of a GPU
  uint8_t memoryFill = 0;       // GPUSCHED_FILL: what every byte of new device memory holds
  bool strict = false;          // GPUSCHED_STRICT: round the products of fma.rn too
  std::string countersFile;     // GPUSCHED_COUNTERS: empty = do not count
  cpu::CheckModes checks;       // GPUSCHED_CHECK: memory, race
  std::string checkFile;        // GPUSCHED_CHECK_REPORT: where the findings are listed at exit
};

/// A malformed value is logged once and replaced by its default.
Options optionsFromEnvironment();

} // namespace gpusched::cudart
