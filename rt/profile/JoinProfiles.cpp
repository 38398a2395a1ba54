// JoinProfiles.cpp - joins by symbol, then asks model, search and classifier.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A symbol that several static profiles describe (programs of the same name, an older build)
// takes the last one: loadProfiles() puts the newest file last.
#include "rt/profile/JoinProfiles.h"

#include "rt/model/KernelModel.h"
#include "rt/saturation/Classifier.h"
#include "rt/saturation/SaturationPoint.h"
#include "rt/support/TargetNumber.h"

#include <unordered_map>

namespace gpusched {
namespace {

const VariantProfile* newestRunnable(const std::vector<VariantProfile>& variants,
                                     uint32_t capability) {
  const VariantProfile* best = nullptr;
  for (const VariantProfile& variant : variants) {
    bool runs = targetNumber(variant.target) <= capability;
    if (runs && (!best || targetNumber(variant.target) > targetNumber(best->target)))
      best = &variant;
  }
  if (!best && !variants.empty())
    best = &variants.front(); // a newer target only: its registers are the best guess
  return best;
}

void complete(KernelProfile& kernel, const DeviceDescription& device,
              const JoinParameters& parameters) {
  DynamicProfile& dynamic = *kernel.dynamic;
  const VariantProfile* variant = variantFor(kernel.fixed, device);
  Occupancy fits =
      occupancy(device, dynamic.threadsPerBlock, variant ? variant->registersPerThread : 0,
                dynamic.dynamicSharedBytes + (variant ? variant->staticSharedBytes : 0));
  fillModelled(dynamic, device, fits.blocksPerSm);
  dynamic.saturationBlocksPerSm =
      saturationPoint(dynamic.budgetCurve, {parameters.ratePerBlock, parameters.window});
  dynamic.kernelClass = classify(dynamic, parameters.stallThresholdPercent);
}

} // namespace

const VariantProfile* variantFor(const StaticProfile& fixed, const DeviceDescription& device) {
  uint32_t capability = device.computeMajor * 10 + device.computeMinor;
  const VariantProfile* persistent = newestRunnable(fixed.persistent, capability);
  return persistent ? persistent : newestRunnable(fixed.native, capability);
}

JoinedProfiles joinProfiles(const ProfileFile& statics, const ProfileFile& counters,
                            const DeviceDescription& device, const JoinParameters& parameters) {
  std::unordered_map<std::string, const StaticProfile*> bySymbol;
  for (const KernelProfile& kernel : statics.kernels)
    bySymbol[kernel.fixed.symbol] = &kernel.fixed;
  JoinedProfiles joined;
  for (const KernelProfile& counted : counters.kernels) {
    if (!counted.dynamic)
      continue;
    KernelProfile kernel = counted;
    auto found = bySymbol.find(counted.fixed.symbol);
    if (found != bySymbol.end())
      kernel.fixed = *found->second;
    else if (kernel.fixed.native.empty())
      joined.withoutStatic.insert(counted.fixed.symbol);
    complete(kernel, device, parameters);
    joined.file.kernels.push_back(std::move(kernel));
  }
  return joined;
}

} // namespace gpusched
