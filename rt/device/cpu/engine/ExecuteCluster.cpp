// ExecuteCluster.cpp - the cluster's barrier, and addresses of other blocks' shared memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Cluster.h for the model. Slots are said in DecodeCluster.cpp.
#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/Cluster.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/LaneValue.h"

#include <bit>
#include <cstring>

namespace gpusched::cpu::handlers {
namespace {

constexpr int64_t kWaitCost = 8192; // a whole turn

void setLane64(uint8_t* frame, uint32_t slot, unsigned lane, uint64_t value) {
  std::memcpy(frame + slot + lane * 8, &value, sizeof value);
}
void setLane32(uint8_t* frame, uint32_t slot, unsigned lane, uint32_t value) {
  std::memcpy(frame + slot + lane * 4, &value, sizeof value);
}

/// The rank and offset of a shared::cluster or generic address; false if it is in no block.
bool find(const Warp& warp, uint64_t address, bool generic, uint32_t& rank, uint64_t& offset) {
  const Cluster& cluster = warp.block->cluster();
  if (!generic) {
    const uint64_t named = address >> Cluster::kRankShift;
    rank = named ? static_cast<uint32_t>(named - 1) : warp.block->clusterRank;
    offset = address & Cluster::kOffsetMask;
    return rank < cluster.blocks();
  }
  rank = cluster.rankOf(address);
  if (rank == cluster.blocks())
    return false;
  offset = address - reinterpret_cast<uint64_t>(cluster.arena(rank));
  return true;
}

} // namespace

const MicroOp* clusterArrive(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  Cluster& cluster = warp.block->cluster();
  if (warp.checker)
    warp.checker->clusterArrives(warp, mask);
  const uint64_t generation = cluster.arrive(static_cast<unsigned>(std::popcount(mask)));
  warp.clusterArrived[generation % 2] |= mask;
  warp.clusterArrived[1 - generation % 2] &= ~mask;
  return op + 1;
}

const MicroOp* clusterWait(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  const Cluster& cluster = warp.block->cluster();
  const uint64_t generation = cluster.generation();
  if (mask & warp.clusterArrived[generation % 2]) {
    warp.budget -= kWaitCost;
    return warp.stopQuantum(op);
  }
  warp.clusterArrived[1 - generation % 2] &= ~mask;
  if (warp.checker)
    warp.checker->clusterPassed(warp);
  return op + 1;
}

/// Slot 0: the host address of the shared::cluster address in slot 1 plus the immediate.
/// detail: bytes of the address.
const MicroOp* clusterToHost(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t given = op->detail == 4 ? laneValue<uint32_t>(frame, op->slot[1], lane)
                                           : laneValue<uint64_t>(frame, op->slot[1], lane);
    const uint8_t* const host =
        clusterMemory(warp, given + static_cast<uint64_t>(op->immediate), 1);
    if (!host)
      return warp.fault(op, "the address is in no block of the cluster; was it made by mapa?");
    setLane64(frame, op->slot[0], lane, reinterpret_cast<uint64_t>(host));
  }
  return op + 1;
}

/// mapa: slot 0 = the address in slot 1, in the block whose rank slot 2 holds.
const MicroOp* mapRank(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const bool wide = op->detail & kClusterWide, generic = op->detail & kClusterGeneric;
  const Cluster& cluster = warp.block->cluster();
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t given = wide ? laneValue<uint64_t>(frame, op->slot[1], lane)
                                : laneValue<uint32_t>(frame, op->slot[1], lane);
    const uint32_t target = laneValue<uint32_t>(frame, op->slot[2], lane);
    uint32_t rank = 0;
    uint64_t offset = 0;
    if (target >= cluster.blocks() || !find(warp, given, generic, rank, offset))
      return warp.fault(op, "block " + std::to_string(target) + " of a cluster of " +
                                std::to_string(cluster.blocks()) +
                                ", or an address that is not in shared memory");
    const uint64_t mapped = generic ? reinterpret_cast<uint64_t>(cluster.arena(target)) + offset
                                    : uint64_t(target + 1) << Cluster::kRankShift | offset;
    if (wide)
      setLane64(frame, op->slot[0], lane, mapped);
    else
      setLane32(frame, op->slot[0], lane, static_cast<uint32_t>(mapped));
  }
  return op + 1;
}

/// getctarank: slot 0 = the rank of the block that holds the address in slot 1.
const MicroOp* rankOfAddress(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t given = op->detail & kClusterWide
                               ? laneValue<uint64_t>(frame, op->slot[1], lane)
                               : laneValue<uint32_t>(frame, op->slot[1], lane);
    uint32_t rank = 0;
    uint64_t offset = 0;
    if (!find(warp, given, op->detail & kClusterGeneric, rank, offset))
      return warp.fault(op, "the address is in no block of the cluster");
    setLane32(frame, op->slot[0], lane, rank);
  }
  return op + 1;
}

} // namespace gpusched::cpu::handlers
