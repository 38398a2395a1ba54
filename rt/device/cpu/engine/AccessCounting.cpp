// AccessCounting.cpp - counting accesses and refusing bad ones.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generic address is sorted into shared, local or global here, as the hardware does.
#include "rt/device/cpu/engine/AccessCounting.h"

#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/MemoryTrace.h"

#include <bit>
#include <cstdio>
#include <cstring>

namespace gpusched::cpu {
namespace {

constexpr unsigned kAddressSlot = 7;

uint64_t laneAddress(const MicroOp* op, const uint8_t* frame, unsigned lane, unsigned bytes) {
  uint64_t address = 0;
  std::memcpy(&address, frame + op->slot[kAddressSlot] + lane * bytes, bytes);
  address += static_cast<uint64_t>(op->immediate);
  return bytes == 4 ? static_cast<uint32_t>(address) : address;
}

} // namespace

void countAccess(Warp& warp, const MicroOp* op, uint8_t* frame, Mask mask, unsigned bytes,
                 AccessCount kind, bool shared, unsigned addressBytes) {
  uint64_t addresses[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    addresses[lane] = laneAddress(op, frame, lane, addressBytes);
  MemoryTrace& trace = *warp.block->trace;
  const uint64_t first = addresses[std::countr_zero(mask)];
  if (shared)
    return trace.shared(addresses, mask, bytes);
  const uint64_t arena = reinterpret_cast<uint64_t>(warp.shared);
  if (first - arena < warp.sharedBytes) {
    for (uint64_t& address : addresses)
      address -= arena;
    return trace.shared(addresses, mask, bytes);
  }
  if (warp.ownsLocal(first))
    return trace.local(addresses, mask, bytes);
  trace.global(static_cast<AccessKind>(kind), addresses, mask, bytes);
}

const MicroOp* badAccess(Warp& warp, const MicroOp* op, uint8_t* frame, Mask mask, unsigned bytes,
                         bool shared, unsigned addressBytes) {
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    const uint64_t address = laneAddress(op, frame, lane, addressBytes);
    char text[160];
    if (address % bytes) {
      std::snprintf(text, sizeof text, "misaligned address 0x%llx in lane %u: a %u-byte access",
                    static_cast<unsigned long long>(address), lane, bytes);
      return warp.fault(op, text);
    }
    if (shared && (address + bytes > warp.sharedBytes || address + bytes < address)) {
      std::snprintf(text, sizeof text,
                    "shared memory offset 0x%llx in lane %u is outside the block's %llu bytes",
                    static_cast<unsigned long long>(address), lane,
                    static_cast<unsigned long long>(warp.sharedBytes));
      return warp.fault(op, text);
    }
  }
  return warp.fault(op, "bad address");
}

} // namespace gpusched::cpu
