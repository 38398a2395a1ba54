// MeasuredKernels.cpp - by name; a twin goes to its kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/profile/MeasuredKernels.h"

#include "rt/support/KernelName.h"

#include <map>
#include <optional>
#include <set>

namespace gpusched {
namespace {

std::set<std::string> namesIn(const ProfileFile& statics) {
  std::set<std::string> names;
  for (const KernelProfile& kernel : statics.kernels)
    names.insert({kernel.fixed.symbol, kernel.fixed.persistentSymbol, kernel.fixed.kernel});
  return names;
}

std::optional<VariantProfile> variantOf(const KernelMeasurement& kernel,
                                        const DeviceDescription& device) {
  const auto registers = kernel.values.find(kRegistersPerThread);
  if (registers == kernel.values.end())
    return std::nullopt;
  const auto shared = kernel.values.find(kStaticSharedBytes);
  VariantProfile variant;
  variant.target = "sm_" + std::to_string(device.computeMajor * 10 + device.computeMinor);
  variant.registersPerThread = uint32_t(registers->second);
  variant.staticSharedBytes = shared == kernel.values.end() ? 0 : uint64_t(shared->second);
  return variant;
}

} // namespace

ProfileFile withMeasuredKernels(const ProfileFile& statics,
                                const std::vector<MeasurementFile>& measured,
                                const DeviceDescription& device, bool twinsExpected) {
  const std::set<std::string> known = namesIn(statics);
  std::map<std::string, VariantProfile> variants;
  for (const MeasurementFile& file : measured)
    for (const KernelMeasurement& kernel : file.kernels)
      if (!known.contains(kernel.kernel))
        if (std::optional<VariantProfile> variant = variantOf(kernel, device))
          variants[kernel.kernel] = std::move(*variant);
  ProfileFile all = statics;
  for (const auto& [symbol, variant] : variants) {
    if (symbol.ends_with(kPtxTwinEnd) &&
        variants.contains(symbol.substr(0, symbol.rfind(kPtxTwinEnd))))
      continue;
    StaticProfile& fixed = all.kernels.emplace_back().fixed;
    fixed.kernel = kernelName(symbol);
    fixed.symbol = symbol;
    fixed.native = {variant};
    const auto twin = variants.find(symbol + kPtxTwinEnd);
    if (twin != variants.end())
      fixed.persistent = {twin->second};
    if (twin != variants.end() || twinsExpected)
      fixed.persistentSymbol = symbol + kPtxTwinEnd;
  }
  return all;
}

} // namespace gpusched
