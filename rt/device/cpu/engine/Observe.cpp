// Observe.cpp - running a warp while watching whether memory changes, and hashing its state.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by HangMonitor.h only, so it may be slow. Instructions that write memory in ways the
// decoder did not note (matrices, copies, mbarriers, printf, malloc) count as changes.
#include "rt/device/cpu/engine/AccessAddress.h"
#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/CheckText.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/Program.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpusched::cpu {
namespace {

uint64_t mixed(uint64_t hash, uint64_t value) {
  return std::rotl((hash ^ value) * 0x9e3779b97f4a7c15u, 29);
}

uint64_t hashOf(const uint8_t* bytes, size_t count) {
  uint64_t hash = count, word;
  for (size_t i = 0; i + sizeof word <= count; i += sizeof word) {
    std::memcpy(&word, bytes + i, sizeof word);
    hash = mixed(hash, word);
  }
  return hash;
}

/// Handlers that have no Access and leave memory as it is.
bool leavesMemory(const MicroOp& op) {
  using namespace handlers;
  constexpr Handler kHarmless[] = {branch,       branchIndexed, call,         callIndirect,
                                   ret,          exit,          nothing,      barrier,
                                   fence,        yieldWarp,     warpBarrier,  strongAccess,
                                   mbarrierTest, clusterWait,   clusterToHost};
  const bool suspect = op.opClass == OpClass::LoadStore || op.opClass == OpClass::Atomic ||
                       op.opClass == OpClass::Barrier || op.opClass == OpClass::Control;
  return !suspect ||
         std::find(std::begin(kHarmless), std::end(kHarmless), op.run) != std::end(kHarmless);
}

uint64_t addressOf(const uint8_t* frame, const MicroOp* op, const Access& access, unsigned lane,
                   const Warp& warp) {
  const uint64_t address = accessAddress(frame, op, lane, access.address);
  if (access.address == AddressKind::Host)
    return address;
  return address + access.bytes <= warp.sharedBytes
             ? reinterpret_cast<uint64_t>(warp.shared) + address
             : 0;
}

uint64_t hashOfTargets(const uint8_t* frame, const MicroOp* op, const Access& access, Mask mask,
                       const Warp& warp) {
  uint64_t hash = 0;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const uint64_t address = addressOf(frame, op, access, std::countr_zero(rest), warp);
    for (unsigned i = 0; address && i < access.bytes; ++i)
      hash = mixed(hash, reinterpret_cast<const uint8_t*>(address)[i]);
  }
  return hash;
}

} // namespace

const MicroOp* Warp::observe(const MicroOp* op, Mask mask) {
  if (op->run == handlers::enterBlock)
    return op + 1;
  const LoadedModule& module = *frame->function->module;
  const Access* const access =
      module.accessOf(static_cast<uint32_t>(steady(op) - module.code.data()));
  uint8_t* const frameBytes = registers;
  if (!access || !access->writes) {
    changedMemory |= !access && !leavesMemory(*op);
    return op->run(frameBytes, op, mask, *this);
  }
  memoryOp = op;
  // An atomic's result may replace its addresses.
  uint8_t addresses[kLanes * 8];
  MicroOp kept = *op;
  std::memcpy(addresses, frameBytes + op->slot[kAddressSlot], sizeof addresses);
  kept.slot[kAddressSlot] = 0;
  const uint64_t before = hashOfTargets(addresses, &kept, *access, mask, *this);
  const MicroOp* const next = op->run(frameBytes, op, mask, *this);
  changedMemory |= before != hashOfTargets(addresses, &kept, *access, mask, *this);
  return next;
}

void Warp::interpretObserved() {
  const MicroOp* op = pc_;
  while (op < limit) {
    uint32_t guard;
    std::memcpy(&guard, registers + op->guard, sizeof guard);
    const Mask mask = active & (guard ^ op->guardFlip);
    op = mask ? observe(op, mask) : op + 1;
  }
  if (op != stopHere())
    pc_ = op;
}

uint64_t Warp::stateHash() const {
  uint64_t hash = live;
  eachGroup([&](const Group& group) {
    uint64_t one = mixed(reinterpret_cast<uint64_t>(group.pc), group.mask);
    one = mixed(one, reinterpret_cast<uint64_t>(group.frame));
    hash += mixed(one, static_cast<uint64_t>(group.wait) << 8 | group.barrier);
  });
  for (const std::unique_ptr<Frame>& used : frames_)
    if (used->function)
      hash += hashOf(used->registers.get(), used->function->frameBytes);
  return mixed(hash, index);
}

uint64_t Block::stateHash() const {
  uint64_t hash = 0;
  for (const std::unique_ptr<Warp>& warp : warps_)
    if (warp->live)
      hash += warp->stateHash();
  return mixed(hash, linearIndex);
}

bool Block::changedMemory() const {
  return std::any_of(warps_.begin(), warps_.end(),
                     [](const std::unique_ptr<Warp>& warp) { return warp->changedMemory; });
}

std::string Block::whoWaits() const {
  constexpr unsigned kMostGroups = 4;
  std::string text;
  unsigned groups = 0;
  for (const std::unique_ptr<Warp>& warp : warps_)
    warp->eachGroup([&](const Group& group) {
      if (!group.mask || groups++ >= kMostGroups)
        return;
      const bool after = group.wait == GroupWait::Barrier || group.wait == GroupWait::WarpBarrier;
      const char* const how = group.wait == GroupWait::None      ? "spins"
                              : group.wait == GroupWait::Barrier ? "waits at a barrier"
                                                                 : "waits for other lanes";
      const SourcePlace place =
          sourcePlace(*launch.kernel, warp->steady(after ? group.pc - 1 : group.pc));
      text += "\n    block " + tripleText({index[0], index[1], index[2]}) + ", warp " +
              std::to_string(warp->index) + ", lanes " + hexadecimal(group.mask) + " " + how +
              ": " + place.describe();
    });
  if (groups > kMostGroups)
    text += "\n    and " + std::to_string(groups - kMostGroups) + " more groups of the block";
  return text;
}

} // namespace gpusched::cpu
