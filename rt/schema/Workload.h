// Workload.h - kernels that arrive over time, and the JSON they are written in.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format version 1; docs/workload-format.md lists the fields. Read by `gpusched sched`. A kernel is
// described by a profile: of a file named in `profiles`, or inline, in the profile's own format.
#pragma once

#include "rt/schema/Profile.h"

#include <string>
#include <vector>

namespace gpusched {

inline constexpr int kWorkloadVersion = 1;

/// `count` launches of one kernel, `periodUs` apart.
struct WorkloadLaunch {
  std::string kernel;           // name or symbol in the profiles
  uint32_t threadsPerBlock = 0; // which of several profiles of it; 0 = the first
  double arrivalUs = 0;
  double periodUs = 0;
  uint64_t count = 1;
  uint64_t stream = 0;  // 0 = a stream of its own
  int32_t priority = 0; // of its stream; larger goes first
  uint64_t blocks = 0;  // 0 = as profiled
  double watts = 0;     // above idle, while it runs alone; 0 = not known
};

struct WorkloadFile {
  int version = kWorkloadVersion;
  std::string name;
  std::string device; // description, name or path; empty = the command's
  double idleWatts = 0;
  std::vector<std::string> profiles; // relative to the workload's folder
  std::vector<KernelProfile> kernels;
  std::vector<WorkloadLaunch> launches;
};

std::string toJson(const WorkloadFile& file);
/// Errors name the field and what was expected.
Result<WorkloadFile> workloadFromJson(const std::string& text);
/// Reads the file and the profiles it names; `kernels` then holds all of them.
Result<WorkloadFile> readWorkload(const std::string& path);

/// The profile a launch means; null when there is none.
const KernelProfile* profileOf(const WorkloadFile& file, const WorkloadLaunch& launch);

} // namespace gpusched
