// AccessAddress.h - where a lane's load, store or atomic goes, for code off the fast path.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not for files that are compiled once per instruction set: see Isa.h.
#pragma once

#include "rt/device/cpu/engine/Isa.h"
#include "rt/device/cpu/engine/LaneValue.h"

namespace gpusched::cpu {

inline constexpr unsigned kAddressSlot = 7;

/// Where a lane's access goes: a host address, or an offset in shared memory.
inline uint64_t accessAddress(const uint8_t* frame, const MicroOp* op, unsigned lane,
                              AddressKind kind) {
  const uint32_t slot = op->slot[kAddressSlot];
  if (kind == AddressKind::Shared32) // wraps as the 32-bit sum does
    return laneValue<uint32_t>(frame, slot, lane) + static_cast<uint32_t>(op->immediate);
  return laneValue<uint64_t>(frame, slot, lane) + static_cast<uint64_t>(op->immediate);
}

} // namespace gpusched::cpu
