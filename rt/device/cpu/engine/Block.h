// Block.h - a resident block: its warps, shared memory and barriers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Created by the dispatcher as a reservation on an SM; its storage is taken from the
// worker's pool when it first runs, so a block that waits for its turn costs nothing.
// Threads: after dispatch only the worker of its SM touches it.
#pragma once

#include "rt/device/cpu/engine/Fault.h"
#include "rt/device/cpu/engine/Frame.h"
#include "rt/device/cpu/engine/Warp.h"
#include "rt/device/cpu/memory/ReservedMemory.h"
#include "rt/schema/Counters.h"

#include <memory>
#include <vector>

namespace gpusched::cpu {

struct ActiveLaunch;
struct BlockShadow;
class Cluster;
struct MemoryTrace;

/// What blocks are built from; one per worker.
class BlockPool {
public:
  std::unique_ptr<Warp> takeWarp();
  void giveWarp(std::unique_ptr<Warp> warp) { warps_.push_back(std::move(warp)); }
  struct Shared {
    ReservedBytes bytes;
    size_t capacity = 0;
  };
  Shared takeShared(size_t bytes);
  void giveShared(Shared shared) { shared_.push_back(std::move(shared)); }

private:
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<Shared> shared_;
};

enum class BlockState : uint8_t { Running, Finished, Faulted };

class Block {
public:
  Block(ActiveLaunch& launch, uint64_t linearIndex, uint32_t sm);
  /// The rank-th block of a cluster of several.
  Block(ActiveLaunch& launch, uint64_t clusterNumber, uint32_t rank, uint32_t sm,
        std::shared_ptr<Cluster> cluster);
  ~Block();

  /// Runs its warps in turn for about `budget` instructions, which it subtracts; `watch`: see
  /// changedMemory().
  BlockState run(BlockPool& pool, int64_t& budget, bool watch = false);
  /// Gives storage back; the block may not run again.
  void release(BlockPool& pool);

  struct BarrierUse {
    unsigned id = 0;
    uint32_t expected = 0; // threads; 0 = all of the block
    bool waits = true;     // bar.arrive does not
    enum class Reduction : uint8_t { None, Popc, And, Or } reduction = Reduction::None;
    Mask predicate = 0;
  };
  /// Do threads that wait there reduce what `use` does not, or the other way round?
  bool mixes(const BarrierUse& use) const;
  /// Counts the lanes of `mask` at a barrier; true if that completed it.
  bool arrive(Warp& warp, const MicroOp* op, Mask mask, const BarrierUse& use);
  /// After lanes exited: barriers that waited only for them complete.
  void lanesExited(Warp& warp, Mask mask);
  /// wgmma is an operation of four warps, of which each does its part alone: `warp` has done one.
  void multiplied(const Warp& warp);
  /// A live warp of the same four has done fewer.
  bool othersMultiply(const Warp& warp) const;
  /// The block's cluster; one of its own if the launch has none. Only while the block runs.
  Cluster& cluster();
  bool sharesCluster() const { return sharesCluster_; }

  ActiveLaunch& launch;
  uint64_t linearIndex = 0;
  uint32_t sm;
  uint32_t clusterRank = 0;
  uint32_t index[3];
  uint32_t warpCount = 0;
  uint32_t threads = 0;
  std::string faultMessage;
  Fault fault = Fault::None;
  bool trapped = false; // the fault is __trap() or a failed assert()
  KernelCounters counters;
  std::unique_ptr<MemoryTrace> trace;
  std::unique_ptr<BlockShadow> shadow; // of the checks
  Warp* running = nullptr;

  /// Records the launch's failure at `op`; the caller then stops running the block.
  void reportFault(const Warp& warp, const MicroOp* op, const std::string& what,
                   Fault kind = Fault::Other);
  /// A handler's access faulted in hardware.
  void reportBadAddress(uint64_t address);
  /// The launch allows no more instructions.
  void reportStepLimit();

  // For HangMonitor.h (Observe.cpp).
  bool changedMemory() const; // did the last watched run?
  uint64_t stateHash() const;
  std::string whoWaits() const;

private:
  struct Barrier {
    uint32_t arrived = 0; // threads, as the counted form counts them
    uint32_t expected = 0;
    uint32_t total = 0, predicateCount = 0;
    BarrierUse::Reduction reduction = BarrierUse::Reduction::None;
    std::vector<Mask> lanes; // by warp: who arrived
  };
  Block(ActiveLaunch& launch, uint32_t sm);
  void begin(BlockPool& pool);
  void complete(unsigned id);
  static void storeReduction(const Barrier& barrier, const MicroOp* op, uint8_t* registers,
                             Mask mask);
  bool satisfied(const Barrier& barrier) const;
  void addCounters(const Warp& warp);
  BlockState finish();
  BlockState deadlock();
  uint64_t random();
  size_t drawWarp();

  std::vector<std::unique_ptr<Warp>> warps_;
  BlockPool::Shared shared_;
  std::shared_ptr<Cluster> cluster_; // null until asked for, or of several blocks
  bool sharesCluster_ = false;
  std::vector<Barrier> barriers_;
  std::vector<uint32_t> multiplies_; // by warp; empty before the first
  uint32_t liveThreads_ = 0;
  size_t next_ = 0;
  uint64_t random_ = 0; // state of the generator that orders warps; 0 = in turn
  bool begun_ = false;
};

} // namespace gpusched::cpu
