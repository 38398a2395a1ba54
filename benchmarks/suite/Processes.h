// Processes.h - a pair of workloads that are served apart: by two processes, or by two threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   parent --fork--> one process a workload, or a thread of this one: set up, warm up, time itself
//   alone when told
//          --pipes-> "once" to both at the same time; each answers with its begin and end
//                or  "repeat" to one, and "once" to the other every now and then
//
// Times are of the machine's monotonic clock, around launch and synchronisation: tens of
// microseconds are in them that events would not show. Without an MPS daemon the device switches
// between the processes, which is the comparison's lower bound.
#pragma once

#include "benchmarks/kernels/Workload.h"

#include <chrono>
#include <string>
#include <vector>

namespace bench {

enum class ProcessMode {
  Together,   ///< both once, at the same time
  Background, ///< the first all the time, with lower priority; the second now and then
  Urgent      ///< the same by threads of this process, in streams of unlike priority
};

/// Prints a line of JSON a pair; 1 when a process failed. Stops at `end`.
int pairsOfProcesses(const std::vector<std::string>& pairs, ProcessMode mode, Size size,
                     int samples, std::chrono::steady_clock::time_point end);

} // namespace bench
