// BulkTransfer.h - what bulk copies of runs of bytes and of boxes of tensors share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/engine/AtomicHandlers.h"
#include "rt/device/cpu/engine/Cluster.h"
#include "rt/device/cpu/engine/LaneValue.h"
#include "rt/device/cpu/engine/MicroOp.h"
#include "rt/device/cpu/engine/Warp.h"

namespace gpusched::cpu::handlers {

/// The same place in another block of the cluster.
inline uint64_t inBlock(uint64_t address, uint32_t rank) {
  return (address & Cluster::kOffsetMask) | uint64_t(rank + 1) << Cluster::kRankShift;
}

/// target[i] = target[i] op source[i], each element atomic, through the handler of red; false if
/// the type has no such operation.
bool reduceElements(const MicroOp* op, Warp& warp, AtomicOp operation, ptx::Type type,
                    uint8_t* target, const uint8_t* source, uint64_t bytes);

/// `bytes` have come to the block whose mbarrier is there.
bool signalBytes(Warp& warp, uint64_t object, uint64_t bytes);

} // namespace gpusched::cpu::handlers
