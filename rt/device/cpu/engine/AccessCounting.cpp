// AccessCounting.cpp - counting accesses and refusing bad ones.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generic address is sorted into shared, local or global here, as the hardware does.
#include "rt/device/cpu/engine/AccessCounting.h"

#include "rt/device/cpu/engine/AccessAddress.h"
#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/MemoryTrace.h"

#include <bit>
#include <cstdio>
#include <cstring>

namespace gpusched::cpu {
namespace {

uint64_t laneAddress(const MicroOp* op, const uint8_t* frame, unsigned lane, unsigned bytes) {
  return accessAddress(frame, op, lane, bytes == 4 ? AddressKind::Shared32 : AddressKind::Host);
}

/// Each eight lanes are equal, or each follows the one before.
constexpr unsigned kGroup = 8;
template <class Lane> bool inGroups(const Lane* address, Lane stride) {
  Lane different = 0;
  for (unsigned group = 0; group < kLanes; group += kGroup)
    for (unsigned i = 0; i < kGroup; ++i)
      different |= address[group + i] ^ Lane(address[group] + Lane(i) * stride);
  return different == 0;
}

template <class Lane>
void addLanes(AccessRuns& runs, const Lane* address, Lane offset, Mask mask, unsigned bytes) {
  const Lane stride = address[1] - address[0];
  if (mask == kAllLanes && (stride == 0 || stride == bytes) && inGroups(address, stride)) {
    for (unsigned group = 0; group < kLanes; group += kGroup)
      runs.add(Lane(address[group] + offset), stride ? kGroup * bytes : bytes);
    return;
  }
  for (Mask rest = mask; rest; rest &= rest - 1)
    runs.add(Lane(address[std::countr_zero(rest)] + offset), bytes);
}

} // namespace

void countAccess(Warp& warp, const MicroOp* op, uint8_t* frame, Mask mask, unsigned bytes,
                 AccessCount kind, bool shared, unsigned addressBytes) {
  MemoryTrace& trace = *warp.block->trace;
  const uint64_t first = laneAddress(op, frame, std::countr_zero(mask), addressBytes);
  const uint64_t arena = reinterpret_cast<uint64_t>(warp.shared);
  const bool inArena = !shared && first - arena < warp.sharedBytes;
  if (!shared && !inArena && warp.ownsLocal(first))
    return trace.local(std::popcount(mask), bytes);
  AccessRuns runs;
  const uint8_t* const slot = frame + op->slot[kAddressSlot];
  const uint64_t offset = static_cast<uint64_t>(op->immediate) - (inArena ? arena : 0);
  if (addressBytes == 4)
    addLanes(runs, reinterpret_cast<const uint32_t*>(slot), static_cast<uint32_t>(offset), mask,
             bytes);
  else
    addLanes(runs, reinterpret_cast<const uint64_t*>(slot), offset, mask, bytes);
  if (shared || inArena)
    trace.shared(runs);
  else
    trace.global(static_cast<AccessKind>(kind), runs);
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
      return warp.fault(op, text, Fault::MisalignedAddress);
    }
    if (shared && (address + bytes > warp.sharedBytes || address + bytes < address)) {
      std::snprintf(text, sizeof text,
                    "shared memory offset 0x%llx in lane %u is outside the block's %llu bytes",
                    static_cast<unsigned long long>(address), lane,
                    static_cast<unsigned long long>(warp.sharedBytes));
      return warp.fault(op, text, Fault::IllegalAddress);
    }
  }
  return warp.fault(op, "bad address");
}

} // namespace gpusched::cpu
