// ExecuteMove.cpp - packing, clocks and address spaces.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clocks: %clock is the host's time-stamp counter, %globaltimer its monotonic clock in
// nanoseconds. Neither says anything about a GPU's time.
#include "rt/device/cpu/engine/Cluster.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/Program.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <x86intrin.h>

namespace gpusched::cpu::handlers {
namespace {

template <class Visit> void eachLane(Mask mask, Visit visit) {
  for (Mask rest = mask; rest; rest &= rest - 1)
    visit(static_cast<unsigned>(__builtin_ctz(rest)));
}

const MicroOp* storeUniform(uint8_t* frame, const MicroOp* op, Mask mask, uint64_t value) {
  eachLane(mask, [&](unsigned lane) {
    std::memcpy(frame + op->slot[0] + lane * op->detail, &value, op->detail);
  });
  return op + 1;
}

uint64_t nanoseconds() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}

} // namespace

/// A register of 8 bits is held in 16.
static size_t heldBytes(size_t bytes) {
  return std::max<size_t>(2, bytes);
}

/// Slots: 0 whole, 1.. parts. detail: bytes of a part; immediate: how many.
const MicroOp* pack(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  const size_t bytes = op->detail, parts = static_cast<size_t>(op->immediate);
  eachLane(mask, [&](unsigned lane) {
    for (size_t i = 0; i < parts; ++i)
      std::memcpy(frame + op->slot[0] + (lane * parts + i) * bytes,
                  frame + op->slot[1 + i] + lane * heldBytes(bytes), bytes);
  });
  return op + 1;
}

const MicroOp* unpack(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  const size_t bytes = op->detail, parts = static_cast<size_t>(op->immediate);
  eachLane(mask, [&](unsigned lane) {
    uint8_t whole[16];
    std::memcpy(whole, frame + op->slot[0] + lane * parts * bytes, parts * bytes);
    for (size_t i = 0; i < parts; ++i) {
      uint8_t* const part = frame + op->slot[1 + i] + lane * heldBytes(bytes);
      part[1] = 0;
      std::memcpy(part, whole + i * bytes, bytes);
    }
  });
  return op + 1;
}

const MicroOp* clock(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  warp.budget -= kSpinCost / 8; // timed waits spin on it
  return storeUniform(frame, op, mask, __rdtsc());
}
const MicroOp* clockHigh(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  return storeUniform(frame, op, mask, __rdtsc() >> 32);
}
const MicroOp* globalTimer(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  warp.budget -= kSpinCost / 8;
  return storeUniform(frame, op, mask, nanoseconds());
}
const MicroOp* globalTimerHigh(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  return storeUniform(frame, op, mask, nanoseconds() >> 32);
}

/// Slots: 0 result, 1 and 2 predicates of the low and the high half. immediate: what a true half
/// gets.
const MicroOp* setPair(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  Mask low, high;
  std::memcpy(&low, frame + op->slot[1], sizeof low);
  std::memcpy(&high, frame + op->slot[2], sizeof high);
  const uint32_t one = static_cast<uint32_t>(op->immediate);
  eachLane(mask, [&](unsigned lane) {
    const uint32_t both = (low >> lane & 1 ? one : 0) | (high >> lane & 1 ? one << 16 : 0);
    std::memcpy(frame + op->slot[0] + lane * 4, &both, sizeof both);
  });
  return op + 1;
}

/// A distance from the block's own shared memory as a shared::cluster address.
static uint64_t offsetIn(const Warp& warp, uint64_t distance) {
  if (distance < warp.sharedBytes || !warp.block->sharesCluster())
    return distance;
  const Cluster& cluster = warp.block->cluster();
  const uint64_t host = distance + reinterpret_cast<uint64_t>(warp.shared);
  const uint32_t rank = cluster.rankOf(host);
  if (rank == cluster.blocks())
    return distance;
  return uint64_t(rank + 1) << Cluster::kRankShift |
         (host - reinterpret_cast<uint64_t>(cluster.arena(rank)));
}

static uint64_t hostOf(const Warp& warp, uint64_t base, uint64_t offset) {
  const uint8_t* const other =
      warp.block->sharesCluster() && offset >> Cluster::kRankShift && offset >> 32 == 0
          ? clusterMemory(warp, offset, 1)
          : nullptr;
  return other ? reinterpret_cast<uint64_t>(other) : base + offset;
}

const MicroOp* genericToShared(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const uint64_t base = reinterpret_cast<uint64_t>(warp.shared);
  eachLane(mask, [&](unsigned lane) {
    uint64_t address;
    std::memcpy(&address, frame + op->slot[1] + lane * 8, 8);
    address = offsetIn(warp, address - base);
    std::memcpy(frame + op->slot[0] + lane * 8, &address, 8);
  });
  return op + 1;
}

const MicroOp* sharedToGeneric(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const uint64_t base = reinterpret_cast<uint64_t>(warp.shared);
  eachLane(mask, [&](unsigned lane) {
    uint64_t offset;
    std::memcpy(&offset, frame + op->slot[1] + lane * 8, 8);
    offset = hostOf(warp, base, offset);
    std::memcpy(frame + op->slot[0] + lane * 8, &offset, 8);
  });
  return op + 1;
}

/// Slots: 0 predicate, 1 address. detail: ptx::Space; immediate: any block's of the cluster.
const MicroOp* isSpace(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const uint64_t arena = reinterpret_cast<uint64_t>(warp.shared);
  const uint64_t parameters = reinterpret_cast<uint64_t>(warp.parameters);
  const uint64_t parameterBytes = warp.block->launch.kernel->facts.parameterBytes;
  const ptx::Space space = static_cast<ptx::Space>(op->detail);
  Mask value = 0;
  eachLane(mask, [&](unsigned lane) {
    uint64_t address;
    std::memcpy(&address, frame + op->slot[1] + lane * 8, 8);
    const bool own = address - arena < warp.sharedBytes, local = warp.ownsLocal(address);
    const bool others = !own && warp.block->sharesCluster() &&
                        warp.block->cluster().rankOf(address) != warp.block->cluster().blocks();
    const bool shared = own || (others && op->immediate);
    const bool parameter = address - parameters < parameterBytes;
    const bool holds = space == ptx::Space::Shared  ? shared
                       : space == ptx::Space::Local ? local
                       : space == ptx::Space::Param ? parameter
                       : space == ptx::Space::Const ? false
                                                    : !own && !others && !local && !parameter;
    if (holds)
      value |= Mask(1) << lane;
  });
  Mask out;
  std::memcpy(&out, frame + op->slot[0], sizeof out);
  out = (out & ~mask) | value;
  std::memcpy(frame + op->slot[0], &out, sizeof out);
  return op + 1;
}

} // namespace gpusched::cpu::handlers
