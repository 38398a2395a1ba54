// ExecuteAsync.cpp - copies to shared memory and mbarrier objects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mbarriers are in Mbarrier.h. Slots are said in DecodeAsync.cpp.
#include "rt/device/cpu/engine/AccessAddress.h"
#include "rt/device/cpu/engine/AccessCounting.h"
#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/Cluster.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/LaneValue.h"
#include "rt/device/cpu/engine/Mbarrier.h"
#include "rt/device/cpu/engine/Warp.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpusched::cpu::handlers {
namespace {

/// How an mbarrier is accessed: an atomic to everyone else.
constexpr Access kObjectAccess{.reads = false, .writes = true, .atomic = true, .strong = true};

/// Runs visit(lane, object, its address) for each lane; visit changes the 8-byte object, and may be
/// called again if another block of the cluster was faster.
template <class Visit>
const MicroOp* eachObject(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp, Visit visit,
                          MbarrierStep step = MbarrierStep::Uses) {
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned index = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t at = accessAddress(frame, op, index, AddressKind::Shared64);
    uint8_t* const host = at % 8 ? nullptr : clusterMemory(warp, at, 8);
    if (!host)
      return badAccess(warp, op, frame, mask, 8, true, 8);
    const bool own = at < warp.sharedBytes;
    const Touch touch{op, index, at, 8, true, 8, &kObjectAccess};
    if (warp.checker && own && !warp.checker->allows(warp, touch))
      continue;
    if (warp.checker && own)
      warp.checker->mbarrier(warp, touch, step);
    updateMbarrier(host, [&](uint64_t& object) { visit(index, object, at); });
  }
  return op + 1;
}

/// The transaction bytes that an arrival adds.
int64_t transactionOf(const uint8_t* frame, const MicroOp* op, unsigned index) {
  return laneValue<int32_t>(frame, op->slot[2], index);
}

} // namespace

/// detail: ends it.
const MicroOp* mbarrierInit(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const MbarrierStep step = op->detail ? MbarrierStep::Ends : MbarrierStep::Begins;
  const auto visit = [&](unsigned index, uint64_t& object, uint64_t at) {
    (void)at;
    object = Mbarrier::initial(laneValue<uint32_t>(frame, op->slot[1], index));
  };
  return eachObject(frame, op, mask, warp, visit, step);
}

const MicroOp* mbarrierArrive(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  return eachObject(frame, op, mask, warp, [&](unsigned index, uint64_t& object, uint64_t at) {
    if (warp.checker)
      warp.checker->releases(warp, at);
    std::memcpy(frame + op->slot[0] + index * 8, &object, 8);
    Mbarrier::arrive(object, laneValue<uint32_t>(frame, op->slot[1], index),
                     transactionOf(frame, op, index));
  });
}

const MicroOp* mbarrierDrop(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  return eachObject(frame, op, mask, warp, [&](unsigned index, uint64_t& object, uint64_t at) {
    if (warp.checker)
      warp.checker->releases(warp, at);
    std::memcpy(frame + op->slot[0] + index * 8, &object, 8);
    const uint64_t count = laneValue<uint32_t>(frame, op->slot[1], index);
    Mbarrier::drop(object, count);
    Mbarrier::arrive(object, count, transactionOf(frame, op, index));
  });
}

/// With a state: has its phase ended? With a parity: has the phase of that parity ended?
const MicroOp* mbarrierTest(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  warp.budget -= kSpinCost / 4;
  Mask value = 0;
  const MicroOp* next =
      eachObject(frame, op, mask, warp, [&](unsigned index, uint64_t& object, uint64_t at) {
        const bool waited = op->detail
                                ? laneValue<uint32_t>(frame, op->slot[1], index) & 1
                                : Mbarrier::phase(laneValue<uint64_t>(frame, op->slot[1], index));
        if (Mbarrier::phase(object) == waited)
          return;
        value |= Mask(1) << index;
        if (warp.checker)
          warp.checker->acquires(warp, at);
      });
  Mask out;
  std::memcpy(&out, frame + op->slot[0], sizeof out);
  out = (out & ~mask) | value;
  std::memcpy(frame + op->slot[0], &out, sizeof out);
  return next;
}

/// Slot 0: the arrivals that the state in slot 1 still awaited.
const MicroOp* mbarrierPending(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned index = static_cast<unsigned>(std::countr_zero(rest));
    const uint32_t pending = Mbarrier::pending(laneValue<uint64_t>(frame, op->slot[1], index));
    std::memcpy(frame + op->slot[0] + index * 4, &pending, 4);
  }
  return op + 1;
}

/// detail: bytes to write. Slot 0: bytes to read, the rest are zero; 1 and 2: source address
/// and its offset; 7: shared offset.
const MicroOp* asyncCopy(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  warp.memoryOp = op;
  const unsigned bytes = op->detail;
  if (warp.counting)
    countAccess(warp, op, frame, mask, bytes, AccessCount::Store, true, 8);
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned index = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t at = accessAddress(frame, op, index, AddressKind::Shared64);
    const uint64_t from = laneValue<uint64_t>(frame, op->slot[1], index) +
                          laneValue<uint64_t>(frame, op->slot[2], index);
    if (at % bytes || at + bytes > warp.sharedBytes || at + bytes < at)
      return badAccess(warp, op, frame, mask, bytes, true, 8);
    const Touch target{op, index, at, bytes, true, bytes, &plainAccess(true)};
    if (warp.checker && !warp.checker->allows(warp, target))
      continue;
    const unsigned read = std::min(bytes, laneValue<uint32_t>(frame, op->slot[0], index));
    const Touch source{op, index, from, read, false, 1, &plainAccess(false)};
    if (warp.checker && read && !warp.checker->allows(warp, source))
      continue;
    std::memcpy(warp.shared + at, reinterpret_cast<const void*>(from), read);
    std::memset(warp.shared + at + read, 0, bytes - read);
    if (warp.checker) {
      warp.checker->made(warp, target);
      if (read)
        warp.checker->made(warp, source);
    }
  }
  return op + 1;
}

} // namespace gpusched::cpu::handlers
