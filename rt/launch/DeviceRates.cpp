// DeviceRates.cpp - finds the description of a device's model.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/DeviceRates.h"

#include "rt/launch/Cudart.h"
#include "rt/schema/DeviceDescription.h"
#include "rt/schema/PeakRates.h"
#include "rt/support/Environment.h"
#include "rt/support/Log.h"

#include <optional>
#include <string>
#include <vector>

namespace gpusched {
namespace {

/// What the runtime says; 0 for what it does not.
struct Model {
  uint32_t computeMajor = 0, computeMinor = 0, sms = 0;
  uint32_t clockKhz = 0, memoryClockKhz = 0, memoryBusBits = 0, l2Bytes = 0;
};

Model modelOf(const gpusched_cudart& runtime, int device, uint32_t sms) {
  const auto read = [&](int attribute) {
    return uint32_t(cudart::attribute(runtime, attribute, device, 0));
  };
  return {read(cudart::kAttributeComputeCapabilityMajor),
          read(cudart::kAttributeComputeCapabilityMinor),
          sms,
          read(cudart::kAttributeClockRateKhz),
          read(cudart::kAttributeMemoryClockKhz),
          read(cudart::kAttributeMemoryBusBits),
          read(cudart::kAttributeL2Bytes)};
}

bool isOf(const DeviceDescription& description, const Model& model) {
  const bool isBusKnown = model.memoryBusBits && description.memoryBusBits;
  return description.computeMajor == model.computeMajor && description.sms == model.sms &&
         (!isBusKnown || description.memoryBusBits == model.memoryBusBits);
}

std::optional<DeviceDescription> descriptionOf(const Model& model) {
  std::vector<std::string> names{environment("GPUSCHED_GPU")};
  for (const ShippedDevice& shipped : kShippedDevices)
    if (shipped.computeMajor == model.computeMajor)
      names.emplace_back(shipped.name);
  for (const std::string& name : names) {
    Result<DeviceDescription> description = loadDeviceDescription(name);
    if (!description)
      log(LogLevel::Info, "%s", description.message().c_str());
    else if (isOf(*description, model))
      return *description;
  }
  return std::nullopt;
}

/// A description of a model that we have none of; none where too little is known.
std::optional<DeviceDescription> derivedFor(const Model& model) {
  constexpr double kKhzPerMhz = 1000;
  const ShippedDevice& nearest = nearestShippedDevice(model.computeMajor, model.computeMinor);
  if (nearest.computeMajor != model.computeMajor || model.clockKhz == 0)
    return std::nullopt;
  Result<DeviceDescription> description = loadDeviceDescription(nearest.name);
  if (!description)
    return std::nullopt;
  description->sms = model.sms;
  description->clockMhz = model.clockKhz / kKhzPerMhz;
  description->l2Bytes = model.l2Bytes;
  description->dramGbPerSecond = 0;
  return *description;
}

} // namespace

void findRates(const gpusched_cudart& runtime, int device, DeviceLimits& limits) {
  const Model model = modelOf(runtime, device, limits.sms);
  std::optional<DeviceDescription> description = descriptionOf(model);
  if (!description)
    description = derivedFor(model);
  if (!description) {
    log(LogLevel::Info,
        "no description fits device %d (CC %u.%u, %u SMs); rule 2 (bandwidth and FLOP/s) is not "
        "applied; set GPUSCHED_GPU to a description of it",
        device, model.computeMajor, model.computeMinor, model.sms);
    return;
  }
  const double dram = peakDramGbPerSecond(model.memoryClockKhz, model.memoryBusBits);
  limits.dramGbPerSecond = dram > 0 ? dram : description->dramGbPerSecond;
  limits.gflops = peakGflops(*description);
  limits.l1BytesPerSm = description->l1Bytes;
  limits.l2Bytes = description->l2Bytes;
}

} // namespace gpusched
