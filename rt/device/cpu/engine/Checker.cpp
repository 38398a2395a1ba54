// Checker.cpp - the handlers that stand before loads, stores and atomics.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under race checks a store runs lane by lane: whether it changes memory is then known for each,
// and lanes of one instruction that write different values to one place are found.
#include "rt/device/cpu/engine/Checker.h"

#include "rt/device/cpu/engine/AccessAddress.h"
#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/Program.h"

#include <bit>
#include <cstring>

namespace gpusched::cpu {
namespace {

constexpr unsigned kMostBytes = 32; // of one lane's access

Touch touchOf(const uint8_t* frame, const MicroOp* op, const Access& access, unsigned lane) {
  return {op,
          lane,
          accessAddress(frame, op, lane, access.address),
          access.bytes,
          access.address != AddressKind::Host,
          access.bytes,
          &access};
}

const uint8_t* hostAddress(const Warp& warp, const Touch& touch) {
  return touch.shared ? warp.shared + touch.address
                      : reinterpret_cast<const uint8_t*>(touch.address);
}

const MicroOp* storeLaneByLane(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp,
                               const Access& access, Handler run) {
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    const Touch touch = touchOf(frame, op, access, lane);
    const uint8_t* const host = hostAddress(warp, touch);
    uint8_t before[kMostBytes];
    std::memcpy(before, host, access.bytes);
    const MicroOp* const next = run(frame, op, Mask(1) << lane, warp);
    if (next == stopHere())
      return next;
    warp.checker->made(warp, touch, std::memcmp(before, host, access.bytes) != 0);
  }
  return op + 1;
}

const MicroOp* checkedAccess(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const LoadedModule& module = *warp.frame->function->module;
  const LoadedModule::Checked& checked =
      module.checked[static_cast<size_t>(warp.steady(op) - module.code.data())];
  const Access& access = module.accesses[checked.access];
  Checker& checker = *warp.checker;
  warp.memoryOp = op;
  Mask allowed = 0;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    if (checker.allows(warp, touchOf(frame, op, access, lane)))
      allowed |= Mask(1) << lane;
  }
  if (!allowed)
    return op + 1;
  if (!checker.checksRaces())
    return checked.run(frame, op, allowed, warp);
  if (access.writes)
    return storeLaneByLane(frame, op, allowed, warp, access, checked.run);
  // The result may lie in the register that holds the addresses.
  Touch touches[kLanes];
  unsigned count = 0;
  for (Mask rest = allowed; rest; rest &= rest - 1)
    touches[count++] = touchOf(frame, op, access, std::countr_zero(rest));
  const MicroOp* const next = checked.run(frame, op, allowed, warp);
  for (unsigned i = 0; i < count && next != stopHere(); ++i)
    checker.made(warp, touches[i]);
  return next;
}

} // namespace

const Access& plainAccess(bool writes) {
  static const Access kLoad{.reads = true}, kStore{.writes = true};
  return writes ? kStore : kLoad;
}

Checker::Checker(CheckModes modes, DeviceMemory& memory)
    : modes_(modes), memory_(memory, report_), race_(memory, report_) {
  if (modes.memory)
    memory.guard();
}

void Checker::install(LoadedModule& module) {
  module.checked.resize(module.code.size());
  for (size_t i = 0; i < module.accesses.size(); ++i) {
    const uint32_t op = module.accesses[i].op;
    module.checked[op] = {module.code[op].run, static_cast<uint32_t>(i)};
    module.code[op].run = checkedAccess;
  }
}

void Checker::blockStarts(Block& block) {
  block.shadow = std::make_unique<BlockShadow>();
  block.shadow->sharedWritten.resize(block.launch.arenaBytes());
  if (modes_.race)
    block.shadow->race = race_.begin(block);
}

void Checker::nextLogicalBlock(Warp& warp) {
  if (modes_.memory)
    memory_.nextLogicalBlock(warp);
  if (modes_.race)
    race_.nextLogicalBlock(warp);
}

void Checker::barrierArrives(Warp& warp, unsigned barrier, Mask lanes, bool waits) {
  if (modes_.race)
    race_.barrierArrives(warp, barrier, lanes, waits);
}

void Checker::barrierCompletes(Block& block, unsigned barrier) {
  if (modes_.race)
    race_.barrierCompletes(block, barrier);
}

void Checker::warpBarrier(Warp& warp, Mask arriving, Mask named) {
  if (modes_.race)
    race_.warpBarrier(warp, arriving, named);
}

void Checker::fence(Warp& warp) {
  if (modes_.race)
    race_.fence(warp);
}

void Checker::clusterArrives(Warp& warp, Mask lanes) {
  if (modes_.race)
    race_.clusterArrives(warp, lanes);
}

void Checker::clusterPassed(Warp& warp) {
  if (modes_.race)
    race_.clusterPassed(warp);
}

void Checker::releases(Warp& warp, uint64_t object) {
  if (modes_.race)
    race_.releases(warp, object);
}

void Checker::acquires(Warp& warp, uint64_t object) {
  if (modes_.race)
    race_.acquires(warp, object);
}

bool admits(Warp& warp, const Touch& touch) {
  return !warp.checker || warp.checker->admits(warp, touch);
}

} // namespace gpusched::cpu
