// CounterReport.h - sums the engine's counters per kernel and launch shape, for GPUSCHED_COUNTERS.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file is a ProfileFile (rt/schema/Profile.h) whose kernels carry their names, what a block
// takes (registers as the machine code beside the PTX says, else an estimate), and a dynamic
// profile with source "cpu". Launches of one kernel with the same threads per block and dynamic
// shared memory are summed. add() runs on the dispatch thread, write() at exit.
#pragma once

#include "rt/device/cpu/engine/Gpu.h"
#include "rt/schema/Profile.h"
#include "rt/support/Result.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace gpusched::cudart {

class CounterReport {
public:
  /// Kernels that it launched count for themselves.
  void add(const cpu::Launch& launch, const cpu::LaunchOutcome& outcome);
  Status write(const std::string& path, const std::string& device);

private:
  using Shape = std::tuple<std::string, uint32_t, uint64_t>; // name, threads, dynamic shared
  struct Sum {
    VariantProfile native;
    KernelCounters counters;
  };
  std::mutex mutex_;
  std::map<Shape, Sum> sums_;
};

/// Adds every field of `more` to `sum`.
void accumulate(KernelCounters& sum, const KernelCounters& more);

} // namespace gpusched::cudart
