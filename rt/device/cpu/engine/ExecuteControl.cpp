// ExecuteControl.cpp - branches, calls, barriers and the end of a thread.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These are the handlers that change which lanes run and where; the rules are Warp's.
#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/LaneValue.h"
#include "rt/device/cpu/engine/Program.h"

#include <atomic>
#include <bit>
#include <cstring>

namespace gpusched::cpu::handlers {
const MicroOp* branch(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  const MicroOp* const target = op + op->immediate;
  return mask == warp.active ? warp.jump(op, target) : warp.diverge(op, target, mask);
}

/// Slot 1: the index. The lanes that agree with the first go; the others try again.
const MicroOp* branchIndexed(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const LoadedModule& module = *warp.frame->function->module;
  const std::vector<int64_t>& table = module.branchTables[static_cast<size_t>(op->immediate)];
  const uint32_t index = laneValue<uint32_t>(frame, op->slot[1], std::countr_zero(mask));
  if (index >= table.size())
    return warp.fault(op, "brx.idx index " + std::to_string(index) + " is outside its table of " +
                              std::to_string(table.size()));
  Mask same = 0;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    if (laneValue<uint32_t>(frame, op->slot[1], lane) == index)
      same |= Mask(1) << lane;
  }
  const MicroOp* const target = warp.sameCopy(op, module.code.data() + table[index]);
  if (same == warp.active)
    return warp.jump(op, target);
  warp.splitOff(op, mask);
  warp.splitOff(op - 1, same); // the rest come back to this micro-op
  return warp.reschedule(op, target);
}

const MicroOp* call(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  const CallSite& site =
      warp.frame->function->module->callSites[static_cast<size_t>(op->immediate)];
  return warp.call(op, mask, *site.callee);
}

/// Slot 1: the function's address.
const MicroOp* callIndirect(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const uint64_t address = laneValue<uint64_t>(frame, op->slot[1], std::countr_zero(mask));
  const DecodedFunction* callee = warp.frame->function->module->functionByAddress(address);
  if (!callee) {
    char text[96];
    std::snprintf(text, sizeof text, "call through 0x%llx, which is no function of the module",
                  static_cast<unsigned long long>(address));
    return warp.fault(op, text);
  }
  Mask same = 0;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    if (laneValue<uint64_t>(frame, op->slot[1], lane) == address)
      same |= Mask(1) << lane;
  }
  warp.splitOff(op, mask);
  warp.splitOff(op - 1, same);
  return warp.call(op, same, *callee);
}

const MicroOp* ret(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  return warp.ret(op, mask);
}
const MicroOp* exit(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  return warp.exit(op, mask);
}

const MicroOp* trap(uint8_t*, const MicroOp* op, Mask, Warp& warp) {
  warp.block->trapped = true;
  return warp.fault(op, "the kernel executed a trap");
}

const MicroOp* unsupported(uint8_t*, const MicroOp* op, Mask, Warp& warp) {
  return warp.fault(op, "instruction not supported by the cpu device");
}

const MicroOp* nothing(uint8_t*, const MicroOp* op, Mask, Warp&) {
  return op + 1;
}

/// Slots: 0 result, 1 id, 2 thread count, 3 predicate. detail: see DecodeBarrier.cpp.
const MicroOp* barrier(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const unsigned lane = std::countr_zero(mask);
  Block::BarrierUse use;
  use.id = laneValue<uint32_t>(frame, op->slot[1], lane);
  use.expected = laneValue<uint32_t>(frame, op->slot[2], lane);
  use.waits = !(op->detail & 4);
  use.reduction = static_cast<Block::BarrierUse::Reduction>(op->detail & 3);
  std::memcpy(&use.predicate, frame + op->slot[3], sizeof use.predicate);
  if (op->detail & 8)
    use.predicate = ~use.predicate;
  if (use.id >= 16)
    return warp.fault(op, "barrier number " + std::to_string(use.id) + " is above 15");
  if (warp.block->mixes(use))
    return warp.fault(op,
                      "threads that wait at barrier " + std::to_string(use.id) +
                          " came to it by another kind of barrier, of bar.sync and bar.red with "
                          ".popc, .and or .or; PTX leaves undefined what that does. Let all "
                          "come by one kind, or to different barriers");
  const bool completed = warp.block->arrive(warp, op, mask, use);
  if (!use.waits)
    return op + 1;
  if (completed)
    return warp.reopen(op + 1);
  return warp.waitAtBarrier(op, mask, use.id);
}

const MicroOp* fence(uint8_t*, const MicroOp* op, Mask, Warp& warp) {
  if (warp.checker)
    warp.checker->fence(warp);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return op + 1;
}

/// Decoded only when checks are on.
const MicroOp* logicalBlock(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  if (mask != warp.live)
    return warp.waitForLanes(op, mask, warp.live);
  warp.checker->nextLogicalBlock(warp);
  return op + 1;
}

const MicroOp* yieldWarp(uint8_t*, const MicroOp* op, Mask, Warp& warp) {
  return warp.stopQuantum(op + 1);
}

/// Before a volatile, relaxed, acquire or release access.
const MicroOp* strongAccess(uint8_t*, const MicroOp* op, Mask, Warp& warp) {
  std::atomic_thread_fence(std::memory_order_acq_rel);
  warp.budget -= kSpinCost;
  return op + 1;
}

} // namespace gpusched::cpu::handlers
