// ExecuteBulk.cpp - bulk copies and reductions, done at once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DecodeAsync.cpp for the slots. A multicast writes to the same place in several blocks of the
// cluster, and signals the mbarrier at the same place in each.
#include "rt/device/cpu/engine/AtomicHandlers.h"
#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/BulkModes.h"
#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/Cluster.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/Mbarrier.h"
#include "rt/device/cpu/engine/MemoryTrace.h"

#include <bit>
#include <cstring>

namespace gpusched::cpu::handlers {
namespace {

constexpr uint64_t kUnit = 16; // of addresses and sizes

/// How a bulk reduction changes its target.
constexpr Access kReduction{.reads = true, .writes = true, .atomic = true, .strong = true};

template <class T> T lane(const uint8_t* frame, uint32_t slot, unsigned index) {
  T value;
  std::memcpy(&value, frame + slot + index * sizeof(T), sizeof value);
  return value;
}

/// One end of a copy.
struct End {
  uint64_t address; // a host address, or a shared::cluster one
  bool shared;
  uint8_t* host(const Warp& warp, uint64_t bytes) const {
    if (address % kUnit)
      return nullptr;
    return shared ? clusterMemory(warp, address, bytes) : reinterpret_cast<uint8_t*>(address);
  }
  /// False if a check forbids it. Another block's shared memory is not checked.
  bool allowed(Warp& warp, const MicroOp* op, unsigned index, uint32_t bytes,
               const Access& how) const {
    if (!warp.checker || (shared && address >> Cluster::kRankShift))
      return true;
    const Touch touch{op, index, address, bytes, shared, kUnit, &how};
    if (!warp.checker->allows(warp, touch))
      return false;
    warp.checker->made(warp, touch);
    return true;
  }
};

/// target[i] = target[i] op source[i], each element atomic, through the handler of red.
void reduceElements(const MicroOp* op, Warp& warp, uint8_t* target, const uint8_t* source,
                    uint64_t bytes) {
  const ptx::Type type = static_cast<ptx::Type>(op->immediate & 0xff);
  const Handler run =
      atomicHandler(static_cast<AtomicOp>(op->immediate >> 8), type, AddressKind::Host, false);
  const unsigned size = ptx::sizeInBytes(type);
  struct {
    uint64_t values[kLanes], addresses[kLanes];
  } frame;
  MicroOp one = *op;
  one.immediate = 0;
  one.slot[0] = one.slot[1] = one.slot[2] = 0;
  one.slot[7] = sizeof frame.values;
  const bool counting = std::exchange(warp.counting, false);
  for (uint64_t at = 0; at < bytes; at += size) {
    std::memcpy(frame.values, source + at, size);
    frame.addresses[0] = reinterpret_cast<uint64_t>(target + at);
    run(reinterpret_cast<uint8_t*>(&frame), &one, 1, warp);
  }
  warp.counting = counting;
  warp.memoryOp = op;
}

void countBulk(Warp& warp, const End& end, uint64_t bytes, AccessKind kind) {
  AccessRuns runs;
  runs.add(end.address, bytes);
  if (!end.shared)
    warp.block->trace->global(kind, runs);
}

/// The same place in another block.
uint64_t inBlock(uint64_t address, uint32_t rank) {
  return (address & Cluster::kOffsetMask) | uint64_t(rank + 1) << Cluster::kRankShift;
}

const char* const kBadPlace = "an address or the size of the bulk copy is not a multiple of 16, or "
                              "reaches outside the shared memory of its block";

} // namespace

const MicroOp* bulkCopy(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  warp.memoryOp = op;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned index = static_cast<unsigned>(std::countr_zero(rest));
    const uint32_t bytes = lane<uint32_t>(frame, op->slot[2], index);
    const End from{lane<uint64_t>(frame, op->slot[1], index), (op->detail & kBulkFromShared) != 0};
    const End first{lane<uint64_t>(frame, op->slot[0], index), (op->detail & kBulkToShared) != 0};
    const bool multicast = op->detail & kBulkMulticast, reduces = op->detail & kBulkReduces;
    const uint32_t blocks = multicast ? lane<uint16_t>(frame, op->slot[3], index) : 1;
    const uint8_t* const source = from.host(warp, bytes);
    if (bytes % kUnit || !source)
      return warp.fault(op, kBadPlace);
    if (bytes && !from.allowed(warp, op, index, bytes, plainAccess(false)))
      continue;
    if (warp.counting) {
      countBulk(warp, from, bytes, AccessKind::Load);
      countBulk(warp, first, bytes, AccessKind::Store);
    }
    for (uint32_t left = blocks; left; left &= left - 1) {
      const uint32_t rank = static_cast<uint32_t>(std::countr_zero(left));
      const auto placed = [&](uint64_t address) {
        return multicast ? inBlock(address, rank) : address;
      };
      const End to{placed(first.address), first.shared};
      uint8_t* const target = to.host(warp, bytes);
      const uint64_t object =
          op->detail & kBulkSignals ? placed(lane<uint64_t>(frame, op->slot[7], index)) : 0;
      uint8_t* const barrier =
          op->detail & kBulkSignals && object % 8 == 0 ? clusterMemory(warp, object, 8) : nullptr;
      if (!target || (op->detail & kBulkSignals && !barrier))
        return warp.fault(op, kBadPlace);
      if (bytes && to.allowed(warp, op, index, bytes, reduces ? kReduction : plainAccess(true))) {
        if (reduces)
          reduceElements(op, warp, target, source, bytes);
        else
          std::memmove(target, source, bytes);
      }
      if (!barrier)
        continue;
      if (warp.checker)
        warp.checker->releases(warp, object);
      updateMbarrier(barrier,
                     [&](uint64_t& value) { Mbarrier::arrive(value, 0, -int64_t(bytes)); });
    }
  }
  return op + 1;
}

} // namespace gpusched::cpu::handlers
