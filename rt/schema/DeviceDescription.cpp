// DeviceDescription - how many blocks of a kernel fit on an SM.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of NVIDIA's occupancy documentation: warps are whole; a warp's registers are
// rounded up to the allocation unit; a block's shared memory includes the driver's
// reservation and is rounded up to its own unit. The smallest quotient limits.
#include "rt/schema/DeviceDescription.h"

#include "rt/support/RoundUp.h"

#include <algorithm>

namespace gpusched {
namespace {

constexpr uint32_t kWarpSize = 32;

} // namespace

Occupancy occupancy(const DeviceDescription& device, uint32_t threadsPerBlock,
                    uint32_t registersPerThread, uint64_t sharedBytesPerBlock) {
  if (!threadsPerBlock || threadsPerBlock > device.threadsPerBlock)
    return {0, "threads"};
  const uint64_t warps = (threadsPerBlock + kWarpSize - 1) / kWarpSize;
  const uint64_t warpRegisters =
      roundUp(uint64_t(registersPerThread) * kWarpSize, device.registerAllocationUnit);
  const uint64_t shared =
      roundUp(sharedBytesPerBlock + device.sharedReservedPerBlock, device.sharedAllocationUnit);
  Occupancy result{device.blocksPerSm, "blocks"};
  const auto limit = [&](uint64_t blocks, const char* name) {
    if (blocks < result.blocksPerSm)
      result = {static_cast<uint32_t>(blocks), name};
  };
  limit(device.warpsPerSm / warps, "warps");
  if (warpRegisters) {
    if (warpRegisters * warps > device.registersPerBlock)
      return {0, "registers"};
    limit(device.registersPerSm / warpRegisters / warps, "registers");
  }
  if (sharedBytesPerBlock > std::max(device.sharedBytesPerBlock, device.sharedBytesPerBlockOptin))
    return {0, "shared"};
  if (shared)
    limit(device.sharedBytesPerSm / shared, "shared");
  return result;
}

} // namespace gpusched
