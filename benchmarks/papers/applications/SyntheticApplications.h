// SyntheticApplications.h - applications made of the thesis' kernels, with what lies between them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The documents on clusters name their applications, but nothing of them that a model could run. So
// these are drawn: an application goes a few times through a few phases; a phase is some launches
// of one kernel, each behind time on the host or a copy. Same seed, same applications.
#pragma once

#include "rt/device/sim/SimKernel.h"
#include "rt/schema/Application.h"

#include <vector>

namespace gpusched::papers {

/// A launch with what is in front of it.
struct Step {
  double hostUs = 0;   // neither a kernel nor a copy
  double copyUs = 0;   // over PCIe
  double toDevice = 0; // share of the copied bytes
  size_t kernel = 0;   // index
  double kernelUs = 0; // alone
};

struct SyntheticApplication {
  cluster::Application known;
  std::vector<Step> steps;
};

/// What an application is like; spec/coscheml.md, "Workloads", by its groups.
enum class Kind { Any, BusyGpu, LargeMemory, Copies, Training, Inference, Hpc };
inline constexpr Kind kKinds[] = {Kind::BusyGpu,  Kind::LargeMemory, Kind::Copies,
                                  Kind::Training, Kind::Inference,   Kind::Hpc};
const char* name(Kind kind);

/// `count` applications of 1 to 5 minutes on `device`; of all kinds in turn for Kind::Any.
std::vector<SyntheticApplication> drawApplications(const std::vector<sim::SimKernel>& kernels,
                                                   const DeviceDescription& device, size_t count,
                                                   unsigned seed, Kind kind = Kind::Any);

/// Means and series from the steps, as a profiler would take them of a run alone.
void profileAlone(SyntheticApplication& application, const std::vector<sim::SimKernel>& kernels,
                  const DeviceDescription& device);

} // namespace gpusched::papers
