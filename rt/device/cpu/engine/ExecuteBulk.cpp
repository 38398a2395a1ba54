// ExecuteBulk.cpp - bulk copies and reductions, done at once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DecodeAsync.cpp for the slots. A multicast writes to the same place in several blocks of the
// cluster, and signals the mbarrier at the same place in each.
#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/BulkModes.h"
#include "rt/device/cpu/engine/BulkTransfer.h"
#include "rt/device/cpu/engine/Checker.h"
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
    const bool others = shared && address >> Cluster::kRankShift;
    return others || admits(warp, {op, index, address, bytes, shared, kUnit, &how});
  }
};

void countBulk(Warp& warp, const End& end, uint64_t bytes, AccessKind kind) {
  AccessRuns runs;
  runs.add(end.address, bytes);
  if (!end.shared)
    warp.block->trace->global(kind, runs);
}

const char* const kBadPlace = "an address or the size of the bulk copy is not a multiple of 16, or "
                              "reaches outside the shared memory of its block";

} // namespace

bool reduceElements(const MicroOp* op, Warp& warp, AtomicOp operation, ptx::Type type,
                    uint8_t* target, const uint8_t* source, uint64_t bytes) {
  const Handler run = atomicHandler(operation, type, AddressKind::Host, false);
  if (!run)
    return false;
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
  return true;
}

bool signalBytes(Warp& warp, uint64_t object, uint64_t bytes) {
  uint8_t* const barrier = object % 8 == 0 ? clusterMemory(warp, object, 8) : nullptr;
  if (!barrier)
    return false;
  if (warp.checker)
    warp.checker->releases(warp, object);
  updateMbarrier(barrier, [&](uint64_t& value) { Mbarrier::arrive(value, 0, -int64_t(bytes)); });
  return true;
}

const MicroOp* bulkCopy(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  warp.memoryOp = op;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned index = static_cast<unsigned>(std::countr_zero(rest));
    const uint32_t bytes = laneValue<uint32_t>(frame, op->slot[2], index);
    const End from{laneValue<uint64_t>(frame, op->slot[1], index),
                   (op->detail & kBulkFromShared) != 0};
    const End first{laneValue<uint64_t>(frame, op->slot[0], index),
                    (op->detail & kBulkToShared) != 0};
    const bool multicast = op->detail & kBulkMulticast, reduces = op->detail & kBulkReduces;
    const uint32_t blocks = multicast ? laneValue<uint16_t>(frame, op->slot[3], index) : 1;
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
      if (!target)
        return warp.fault(op, kBadPlace);
      if (bytes && to.allowed(warp, op, index, bytes, reduces ? kReduction : plainAccess(true))) {
        if (reduces)
          reduceElements(op, warp, static_cast<AtomicOp>(op->immediate >> 8),
                         static_cast<ptx::Type>(op->immediate & 0xff), target, source, bytes);
        else
          std::memmove(target, source, bytes);
      }
      if (op->detail & kBulkSignals &&
          !signalBytes(warp, placed(laneValue<uint64_t>(frame, op->slot[7], index)), bytes))
        return warp.fault(op, kBadPlace);
    }
  }
  return op + 1;
}

} // namespace gpusched::cpu::handlers
