// StreamingMultiprocessor.cpp - residency arithmetic.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules are those of occupancy(): registers are charged per warp (WarpRegisters.h),
// shared memory with the driver's reservation in its own unit.
#include "rt/device/cpu/engine/StreamingMultiprocessor.h"

#include "rt/device/cpu/engine/Block.h"
#include "rt/support/RoundUp.h"

namespace gpusched::cpu {
BlockDemand blockDemand(const DeviceDescription& device, uint32_t threads,
                        uint32_t registersPerThread, uint64_t sharedBytes) {
  BlockDemand demand;
  demand.threads = threads;
  demand.warps = (threads + kLanes - 1) / kLanes;
  demand.registers = static_cast<uint32_t>(registersOfBlock(device, threads, registersPerThread));
  demand.shared = roundUp(sharedBytes + device.sharedReservedPerBlock, device.sharedAllocationUnit);
  return demand;
}

StreamingMultiprocessor::StreamingMultiprocessor(const DeviceDescription& device, uint32_t id)
    : id(id), device_(device) {}

StreamingMultiprocessor::~StreamingMultiprocessor() = default;

bool StreamingMultiprocessor::fits(const BlockDemand& demand) const {
  return blocks < device_.blocksPerSm && used_.warps + demand.warps <= device_.warpsPerSm &&
         used_.registers + demand.registers <= device_.registersPerSm &&
         used_.shared + demand.shared <= device_.sharedBytesPerSm;
}

void StreamingMultiprocessor::reserve(const BlockDemand& demand) {
  ++blocks;
  used_.threads += demand.threads;
  used_.warps += demand.warps;
  used_.registers += demand.registers;
  used_.shared += demand.shared;
}

void StreamingMultiprocessor::unreserve(const BlockDemand& demand) {
  --blocks;
  used_.threads -= demand.threads;
  used_.warps -= demand.warps;
  used_.registers -= demand.registers;
  used_.shared -= demand.shared;
}

} // namespace gpusched::cpu
