// ProfileRuns.h - the runs of a program that measure it on a GPU.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   sources asked for -> probe (driver, CUPTI, permission)   a line for each that cannot be had
//     -> plan: one run a source, counter set and budget      counters divided into sets of one pass
//     -> run what has no result yet, with progress           results stay: a stopped profile
//     resumes
//
// What is asked for is a kernel alone. A program of several streams may launch one only beside
// others: where the activity run shows that, it is made again with launches that wait for each
// other (CUDA_LAUNCH_BLOCKING), and so are all runs behind it. Counting by range does that anyway.
//
// The program is run as it is, with the profiler library injected by the driver (telemetry: with
// the twins writing records, and no profiler), so each run costs about what the program costs.
// Results are files of one folder, named after what was measured and a fingerprint of program,
// arguments and device: another program or GPU never meets them.
#pragma once

#include "rt/counters/MeasureRequest.h"
#include "rt/schema/DeviceDescription.h"
#include "rt/schema/Measurement.h"
#include "rt/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpusched::tool {

struct ProfileRun {
  std::string label; ///< "range-stalls-2", "activity"
  MeasureRequest request;
  uint32_t budget = 0;     ///< blocks per SM of the twins; 0 = native kernels
  bool fused = false;      ///< launches that may be one are
  bool oneAtATime = false; ///< a launch waits for the one before

  /// Of its result: "activity-b4", "activity-fused-alone".
  std::string name() const;
};

/// What can be measured here. `sources` is what was asked for and is available; every other one has
/// a line in `missing`.
struct MeasuredDevice {
  std::vector<std::string> sources;
  std::vector<std::string> missing; ///< "range: why"
  DeviceDescription description;
  std::string chip;
};

/// Measured unless something else is asked for. Telemetry is not: it takes another compile.
inline constexpr const char* kDefaultSources[] = {"activity", "range", "pm", "pc"};
inline constexpr const char* kTelemetry = "telemetry";

MeasuredDevice probeDevice(const std::vector<std::string>& sources);

/// The runs with native kernels; within a source, the sets as planned.
Result<std::vector<ProfileRun>> planRuns(const MeasuredDevice& device, uint64_t intervalNs);

/// Of these, the ones that say something about a budget, with the twins at each budget.
std::vector<ProfileRun> atBudgets(const std::vector<ProfileRun>& native,
                                  const std::vector<uint32_t>& budgets);

struct RunLimits {
  uint32_t timeoutSeconds = 300;
  bool again = false; ///< measure what has a result too
};

/// The one that times kernels, with every pair of launches fused that may be; none without it.
std::vector<ProfileRun> withPairsFused(const std::vector<ProfileRun>& native);

/// Of all runs whose source does not see to it.
void launchOneAtATime(std::vector<ProfileRun>& runs, bool yes);

struct MeasuredRuns {
  std::vector<MeasurementFile> files;
  bool oneAtATime = false; ///< kernels ran beside others, so the runs behind were made like that
};

/// Runs the program for every run without a result in `folder`. Gives the measurements of all;
/// a run that failed is said on stderr and left out.
Result<MeasuredRuns> executeRuns(const std::vector<ProfileRun>& runs,
                                 const std::vector<std::string>& words,
                                 const MeasuredDevice& device, const std::string& folder,
                                 const RunLimits& limits);

} // namespace gpusched::tool
