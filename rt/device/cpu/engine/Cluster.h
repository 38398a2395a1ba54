// Cluster.h - blocks that start together and see each other's shared memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: a block of a cluster names shared memory of the others, and all wait for each other.
// Model: the shared memory of the blocks belongs to the cluster and lives until its last block has
// ended. A shared::cluster address is (rank + 1) << 24 | offset; an address below 1 << 24 is the
// block's own, as PTX has the shared::cta window inside the shared::cluster window. A generic
// address of it is a host address, as everywhere. The barrier counts lanes that have not exited, in
// generations; a lane remembers by the parity of the generation that it has arrived. A launch
// without clusters has clusters of one block, made when something asks for them. Threads: the
// blocks may belong to several workers, so the barrier is locked. Arenas are fixed.
#pragma once

#include "rt/device/cpu/engine/MicroOp.h"
#include "rt/device/cpu/memory/ReservedMemory.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace gpusched::cpu {

class Warp;

class Cluster {
public:
  static constexpr unsigned kRankShift = 24;
  static constexpr uint64_t kOffsetMask = (uint64_t(1) << kRankShift) - 1;

  /// Owns the blocks' shared memory.
  Cluster(uint32_t blocks, uint64_t arenaBytes, uint64_t lanes);
  /// Of one block that has its own.
  Cluster(uint8_t* arena, uint64_t arenaBytes, uint64_t lanes);

  uint32_t blocks() const { return static_cast<uint32_t>(arenas_.size()); }
  uint64_t arenaBytes() const { return arenaBytes_; }
  uint8_t* arena(uint32_t rank) const { return arenas_[rank]; }
  /// The block whose shared memory holds a host address, or blocks().
  uint32_t rankOf(uint64_t address) const;

  /// The generation that the lanes arrived in.
  uint64_t arrive(unsigned lanes);
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  /// `arrived[g % 2]`: those of the lanes that arrived in generation g.
  void exit(unsigned lanes, const unsigned (&arrived)[2]);

private:
  void completeIfAll();

  std::vector<ReservedBytes> owned_;
  std::vector<uint8_t*> arenas_;
  uint64_t arenaBytes_;
  std::mutex mutex_;
  uint64_t live_, arrived_ = 0;
  std::atomic<uint64_t> generation_{0};
};

/// Where `bytes` at a shared::cluster address are, or null if they are outside every block.
uint8_t* clusterMemory(const Warp& warp, uint64_t address, uint64_t bytes);

} // namespace gpusched::cpu
