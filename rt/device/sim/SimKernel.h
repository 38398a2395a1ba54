// SimKernel.h - a kernel as the sim device runs it, and what a policy may know of it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The demand comes from the profile: counters of the cpu device, or measured values (CUPTI, a
// table) turned round. What the profile does not say (curve, saturation point, utilisation,
// class) is found by running the kernel alone on the sim device, as `gpusched profile` would on
// a GPU; what it says is kept, also where the model disagrees.
#pragma once

#include "rt/model/KernelModel.h"
#include "rt/policy/Policy.h"

namespace gpusched::sim {

struct SimKernel {
  PolicyKernel known;
  KernelDemand demand;
  double watts = 0; // above idle, alone; 0 = not known
};

/// Error: what the profile lacks, with the kernel's name.
Result<SimKernel> makeSimKernel(const KernelProfile& profile, const DeviceDescription& device,
                                const ModelAssumptions& assumptions = {});

/// Performance at 1..last blocks per SM alone, relative to its maximum.
std::vector<double> modelledCurve(const KernelDemand& demand, const DeviceDescription& device,
                                  uint32_t last, const ModelAssumptions& assumptions = {});

DeviceLimits limitsOf(const DeviceDescription& device);

} // namespace gpusched::sim
