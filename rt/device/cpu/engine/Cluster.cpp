// Cluster.cpp - the barrier of a cluster and its addresses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/Cluster.h"

#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/Warp.h"

#include <algorithm>

namespace gpusched::cpu {

Cluster::Cluster(uint32_t blocks, uint64_t arenaBytes, uint64_t lanes)
    : arenaBytes_(arenaBytes), live_(lanes) {
  for (uint32_t rank = 0; rank < blocks; ++rank) {
    owned_.push_back(reserveBytes(std::max<uint64_t>(arenaBytes, 64)));
    arenas_.push_back(owned_.back().get());
  }
}

Cluster::Cluster(uint8_t* arena, uint64_t arenaBytes, uint64_t lanes)
    : arenas_{arena}, arenaBytes_(arenaBytes), live_(lanes) {}

uint32_t Cluster::rankOf(uint64_t address) const {
  uint32_t rank = 0;
  while (rank < arenas_.size() &&
         address - reinterpret_cast<uint64_t>(arenas_[rank]) >= arenaBytes_)
    ++rank;
  return rank;
}

void Cluster::completeIfAll() {
  if (!live_ || arrived_ < live_)
    return;
  arrived_ = 0;
  generation_.fetch_add(1, std::memory_order_release);
}

uint64_t Cluster::arrive(unsigned lanes) {
  std::lock_guard lock(mutex_);
  const uint64_t mine = generation_;
  arrived_ += lanes;
  completeIfAll();
  return mine;
}

void Cluster::exit(unsigned lanes, const unsigned (&arrived)[2]) {
  std::lock_guard lock(mutex_);
  live_ -= lanes;
  arrived_ -= arrived[generation_ % 2];
  if (arrived_)
    completeIfAll();
}

uint8_t* clusterMemory(const Warp& warp, uint64_t address, uint64_t bytes) {
  const uint64_t rank = address >> Cluster::kRankShift;
  const uint64_t offset = address & Cluster::kOffsetMask;
  if (!rank) // the common case needs no cluster
    return offset + bytes <= warp.sharedBytes ? warp.shared + offset : nullptr;
  const Cluster& cluster = warp.block->cluster();
  if (rank > cluster.blocks() || offset + bytes > cluster.arenaBytes())
    return nullptr;
  return cluster.arena(static_cast<uint32_t>(rank - 1)) + offset;
}

} // namespace gpusched::cpu
