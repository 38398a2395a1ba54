// SimKernel.cpp - profile to demand, and the gaps of the profile filled by the model.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/sim/SimKernel.h"

#include "rt/model/MeasuredDemand.h"
#include "rt/profile/JoinProfiles.h"
#include "rt/saturation/Classifier.h"
#include "rt/saturation/SaturationPoint.h"
#include "rt/schema/PeakRates.h"
#include "rt/support/RoundUp.h"

#include <algorithm>

namespace gpusched::sim {
namespace {

constexpr uint32_t kWarp = 32;

void fillShape(PolicyKernel& known, const KernelProfile& profile, const DeviceDescription& device) {
  const DynamicProfile& dynamic = *profile.dynamic;
  const VariantProfile* variant = variantFor(profile.fixed, device);
  uint32_t registers = variant ? variant->registersPerThread : 0;
  uint64_t shared = dynamic.dynamicSharedBytes + (variant ? variant->staticSharedBytes : 0);
  known.name = profile.fixed.kernel;
  known.hasPersistent = true;
  known.threadsPerBlock = dynamic.threadsPerBlock;
  known.registersPerBlock = registersOfBlock(device, dynamic.threadsPerBlock, registers);
  known.sharedBytesPerBlock =
      roundUp(shared + device.sharedReservedPerBlock, device.sharedAllocationUnit);
  known.occupancyBlocksPerSm =
      occupancy(device, dynamic.threadsPerBlock, registers, shared).blocksPerSm;
}

/// A profile with every dynamic field filled. Bare counters get what `gpusched profile` adds.
DynamicProfile completed(DynamicProfile dynamic, const KernelDemand& demand,
                         const DeviceDescription& device, uint32_t occupancyBlocks,
                         const ModelAssumptions& assumptions) {
  if (dynamic.counters.warps > 0 && dynamic.timeUs <= 0)
    fillModelled(dynamic, device, occupancyBlocks);
  KernelEstimate full = estimate(demand, device, occupancyBlocks, assumptions);
  if (dynamic.budgetCurve.empty())
    dynamic.budgetCurve = modelledCurve(demand, device, occupancyBlocks, assumptions);
  if (dynamic.saturationBlocksPerSm == 0)
    dynamic.saturationBlocksPerSm = saturationPoint(dynamic.budgetCurve);
  if (dynamic.utilisation == Utilisation{})
    dynamic.utilisation = full.utilisation;
  if (dynamic.kernelClass == KernelClass::Unknown)
    dynamic.kernelClass = classify(dynamic, kPublishedThreshold);
  if (dynamic.timeUs <= 0)
    dynamic.timeUs = full.timeUs;
  return dynamic;
}

} // namespace

std::vector<double> modelledCurve(const KernelDemand& demand, const DeviceDescription& device,
                                  uint32_t last, const ModelAssumptions& assumptions) {
  std::map<uint32_t, double> times;
  for (uint32_t blocks = 1; blocks <= last; ++blocks)
    if (double time = estimate(demand, device, blocks, assumptions).timeUs; time > 0)
      times[blocks] = time;
  return performanceCurve(times);
}

Result<SimKernel> makeSimKernel(const KernelProfile& profile, const DeviceDescription& device,
                                const ModelAssumptions& assumptions) {
  const std::string subject = "kernel '" + profile.fixed.kernel + "': ";
  if (!profile.dynamic)
    return Status::error(subject + "it has no dynamic profile; run gpusched profile");
  SimKernel kernel;
  fillShape(kernel.known, profile, device);
  const uint32_t blocks = kernel.known.occupancyBlocksPerSm;
  if (blocks == 0)
    return Status::error(subject + "no block of " +
                         std::to_string(profile.dynamic->threadsPerBlock) +
                         " threads fits on an SM of " + device.name);
  if (profile.dynamic->counters.warps > 0) {
    kernel.demand = kernelDemand(profile.dynamic->counters, device, assumptions);
  } else {
    Result<KernelDemand> demand = measuredDemand(*profile.dynamic, device, blocks);
    if (!demand)
      return Status::error(subject + demand.message());
    kernel.demand = *demand;
    followCurve(kernel.demand, *profile.dynamic, device, blocks, assumptions);
  }
  kernel.known.learn(completed(*profile.dynamic, kernel.demand, device, blocks, assumptions));
  return kernel;
}

DeviceLimits limitsOf(const DeviceDescription& device) {
  DeviceLimits limits;
  limits.sms = device.sms;
  limits.registersPerSm = device.registersPerSm;
  limits.sharedBytesPerSm = device.sharedBytesPerSm;
  limits.blocksPerSm = device.blocksPerSm;
  limits.threadsPerSm = device.warpsPerSm * kWarp;
  limits.dramGbPerSecond = device.dramGbPerSecond;
  limits.gflops = peakGflops(device);
  limits.l1BytesPerSm = device.l1Bytes;
  limits.l2Bytes = device.l2Bytes;
  return limits;
}

} // namespace gpusched::sim
