// Trace.h - what the scheduler decided in one run, launch by launch, and its JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format version 1; docs/profile-format.md, section "Trace", lists the fields. Written by the
// runtime at exit when GPUSCHED_TRACE=FILE is set, read by `gpusched report --trace=FILE`.
// Times are microseconds since the runtime was loaded. A launch was submitted by the host's
// monotonic clock; it started and completed by the device's, where that was traced. Else, it
// completed when the host first noticed, at a later launch, and it is not said when it started.
#pragma once

#include "rt/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpusched {

inline constexpr int kTraceVersion = 1;

struct TraceLaunch {
  uint64_t sequence = 0; // order of submission, from 1
  std::string kernel;    // source name
  uint32_t device = 0;
  uint64_t stream = 0; // 0 = default stream, else numbered by first use
  uint32_t gridX = 0, gridY = 0, gridZ = 0;
  uint32_t blockX = 0, blockY = 0, blockZ = 0;
  uint64_t dynamicSharedBytes = 0;
  std::string variant;               // "native" or "persistent"
  uint32_t blocksPerSm = 0;          // budget asked for; 0 = no limit
  uint32_t occupancyBlocksPerSm = 0; // resident blocks the launch could have
  uint64_t workers = 0;              // physical blocks; 0 when native
  uint32_t claimBatch = 0;           // logical blocks a claim; 0 when native
  uint64_t set = 0;                  // launches of one set may run together; 0 = no set
  std::vector<uint64_t> after;       // sequences whose end this launch waits for
  std::string reason;                // why this decision, in words
  uint32_t pauses = 0;
  double submittedUs = 0, startedUs = 0, completedUs = 0;
};

/// Is it known when it ran? (The sim device starts at 0, a run does not.)
inline bool hasTimes(const TraceLaunch& launch) {
  return launch.completedUs > launch.startedUs && (launch.startedUs > 0 || launch.submittedUs == 0);
}

struct TraceFile {
  int version = kTraceVersion;
  std::string program;
  std::string policy;
  std::vector<TraceLaunch> launches;
  uint64_t dropped = 0; // launches past the in-memory limit
};

std::string toJson(const TraceFile& trace);
/// Errors name the field and what was expected.
Result<TraceFile> traceFromJson(const std::string& text);
Status writeTrace(const std::string& path, const TraceFile& trace);
Result<TraceFile> readTrace(const std::string& path);

} // namespace gpusched
