// ClusterWorkload.h - jobs for several GPUs, and the JSON they are written in.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format version 1; docs/cluster.md lists the fields. Read by `gpusched cluster`.
#pragma once

#include "rt/schema/Application.h"
#include "rt/support/Result.h"

#include <string>
#include <vector>

namespace gpusched::cluster {

inline constexpr int kClusterWorkloadVersion = 1;

/// GPUs of one kind.
struct GpuGroup {
  uint64_t count = 1;
  uint64_t memoryBytes = 0; // 0 = not known: everything fits
};

/// Time of `application` while `beside` runs there all the time, over its time alone.
struct PairSlowdown {
  std::string application, beside;
  double slowdown = 1;
};

/// `count` jobs of one application, `periodUs` apart.
struct ClusterArrivals {
  std::string application;
  double arrivalUs = 0, periodUs = 0;
  uint64_t count = 1;
};

struct ClusterWorkloadFile {
  int version = kClusterWorkloadVersion;
  std::string name;
  std::vector<GpuGroup> gpus;
  std::vector<std::string> applicationFiles; // of this format, relative to the file's folder
  std::vector<Application> applications;
  std::vector<PairSlowdown> pairs; // measured
  std::vector<ClusterArrivals> arrivals;
};

std::string toJson(const ClusterWorkloadFile& file);
/// Errors name the field and what was expected.
Result<ClusterWorkloadFile> clusterWorkloadFromJson(const std::string& text);
/// Reads the file and those it names; `applications` then holds those of all. Checks that there are
/// GPUs and jobs, and that every name means one application.
Result<ClusterWorkloadFile> readClusterWorkload(const std::string& path);
Status writeClusterWorkload(const std::string& path, const ClusterWorkloadFile& file);

/// Null when there is none.
const Application* applicationNamed(const ClusterWorkloadFile& file, const std::string& name);

} // namespace gpusched::cluster
