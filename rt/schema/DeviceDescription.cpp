// DeviceDescription - how many blocks of a kernel fit on an SM.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of NVIDIA's cuda_occupancy.h: warps are whole; a warp's registers are rounded up to the
// allocation unit and come from its scheduler's part; a block's shared memory includes the driver's
// reservation and is rounded up to its own unit. The smallest quotient limits. A block that would
// not fit if every scheduler had as many of its warps as one of them does not run at all.
#include "rt/schema/DeviceDescription.h"

#include "rt/support/RoundUp.h"
#include "rt/support/WarpRegisters.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gpusched {
namespace {

constexpr uint32_t kWarpSize = 32;

/// How far a description is from a compute capability: 0 for one of it.
uint32_t distance(const ShippedDevice& device, uint32_t major, uint32_t minor) {
  constexpr uint32_t kMinors = 10, kAbove = kMinors, kOtherMajor = 1000, kMajorAbove = 100000;
  const uint32_t own = device.computeMajor * kMinors + device.computeMinor;
  const uint32_t wanted = major * kMinors + minor;
  const uint32_t apart = own < wanted ? wanted - own : own - wanted;
  if (device.computeMajor == major)
    return apart + (own > wanted ? kAbove : 0);
  return apart + (own > wanted ? kMajorAbove : kOtherMajor);
}

} // namespace

const ShippedDevice& nearestShippedDevice(uint32_t computeMajor, uint32_t computeMinor,
                                          const std::string& model) {
  const auto key = [&](const ShippedDevice& device) {
    return std::pair(distance(device, computeMajor, computeMinor),
                     !model.starts_with(device.model));
  };
  return *std::min_element(
      std::begin(kShippedDevices), std::end(kShippedDevices),
      [&](const ShippedDevice& a, const ShippedDevice& b) { return key(a) < key(b); });
}

const ShippedDevice* shippedModel(const std::string& device) {
  const ShippedDevice* const found =
      std::find_if(std::begin(kShippedDevices), std::end(kShippedDevices),
                   [&](const ShippedDevice& shipped) { return device.starts_with(shipped.model); });
  return found == std::end(kShippedDevices) ? nullptr : found;
}

Occupancy occupancy(const DeviceDescription& device, uint32_t threadsPerBlock,
                    uint32_t registersPerThread, uint64_t sharedBytesPerBlock) {
  if (!threadsPerBlock || threadsPerBlock > device.threadsPerBlock)
    return {0, "threads"};
  const uint64_t warps = (threadsPerBlock + kWarpSize - 1) / kWarpSize;
  const uint64_t warpRegisters =
      registersAllocated(registersPerThread, device.registerAllocationUnit);
  const uint64_t shared =
      roundUp(sharedBytesPerBlock + device.sharedReservedPerBlock, device.sharedAllocationUnit);
  Occupancy result{device.blocksPerSm, "blocks"};
  const auto limit = [&](uint64_t blocks, const char* name) {
    if (blocks < result.blocksPerSm)
      result = {static_cast<uint32_t>(blocks), name};
  };
  limit(device.warpsPerSm / warps, "warps");
  if (warpRegisters) {
    if (warpRegisters * roundUp(warps, device.schedulersPerSm) > device.registersPerBlock)
      return {0, "registers"};
    const uint64_t perScheduler = device.registersPerSm / device.schedulersPerSm;
    limit(perScheduler / warpRegisters * device.schedulersPerSm / warps, "registers");
  }
  if (sharedBytesPerBlock > std::max(device.sharedBytesPerBlock, device.sharedBytesPerBlockOptin))
    return {0, "shared"};
  if (shared)
    limit(device.sharedBytesPerSm / shared, "shared");
  return result;
}

uint64_t registersOfBlock(const DeviceDescription& device, uint32_t threadsPerBlock,
                          uint32_t registersPerThread) {
  return registersOfBlock(threadsPerBlock, registersPerThread, device.registerAllocationUnit,
                          device.registersPerSm / device.schedulersPerSm);
}

} // namespace gpusched
