// RaceChecker.h - are conflicting accesses to shared and global memory ordered?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: two threads access the same byte, one writes, and nothing orders them.
// Algorithm: happens-before with vector clocks and per-location epochs, after FastTrack (Flanagan
// and Freund, PLDI 2009), with clocks for warps and, inside a warp, for lanes, as in BARRACUDA
// (Eizenberg et al., PLDI 2017). What orders, after PTX's memory model:
//   bar.sync, barrier                    all threads that take part (bar.arrive: only before it)
//   barrier.cluster                      the warps that take part, of all its blocks
//   bar.warp.sync                        the lanes that take part; shuffles and votes order nothing
//   fence, then a strong write; a strong read of it, then a fence or barrier     those threads
//   st.release, ld.acquire, atom.acq_rel, mbarriers                              likewise
//   the launch itself; launches are not compared with each other
// Two strong accesses (volatile, relaxed, atomic) do not race if their scope holds both threads.
// A store of the value that was there changes nothing and races with no read or equal store.
// In a persistent kernel every logical block counts as a block of its own, though one worker
// runs several: races are then the same as in the native form.
// Not seen: accesses to the shared memory of another block of the cluster.
// Approximate: what one lane of a warp learns from another warp, all its lanes know; a cell keeps
// four accesses (ShadowCells.h); wmma accesses count as their warp's first lane's.
// Threads: one worker only. Cost: some 50 ns for each lane of each access.
#pragma once

#include "rt/device/cpu/engine/CheckReport.h"
#include "rt/device/cpu/engine/Knowledge.h"
#include "rt/device/cpu/engine/ShadowCells.h"
#include "rt/device/cpu/engine/Touch.h"
#include "rt/device/cpu/memory/DeviceMemory.h"

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

namespace gpusched::cpu {

class Block;
class Warp;

/// One warp's clock and what it knows.
struct RaceWarp {
  uint32_t serial = 0; // of its logical block
  uint32_t clock = 1;
  uint32_t logicalBlock = 0;
  WarpClocks known = {};      // of its own block's warps
  KnowledgeRef others;        // of other blocks
  KnowledgeRef released;      // what it knew at its last fence
  KnowledgeRef pending;       // read with a strong read, not yet acquired by a fence
  uint32_t seen[32][32] = {}; // [lane][other lane]: clock up to which they are ordered
};

/// What is known of one location or barrier that synchronises.
struct RaceSync {
  uint64_t launch = 0;
  KnowledgeRef knowledge;
};

struct RaceBarrier {
  WarpClocks known = {};
  KnowledgeRef others;
  std::array<Mask, kWarpsOfBlock> waiting = {}; // lanes, by warp
};

struct RaceBlock {
  std::vector<uint32_t> serials; // by logical block
  bool isWorker = false;         // of a persistent kernel
  std::vector<RaceWarp> warps;
  std::vector<ShadowCell> shared;
  std::unordered_map<uint64_t, RaceSync> sync; // by shared offset
  RaceBarrier barriers[16];
  std::vector<std::pair<Mask, Mask>> warpBarriers[kWarpsOfBlock]; // by warp: named, arrived
};

class RaceChecker {
public:
  RaceChecker(DeviceMemory& memory, CheckReport& report) : memory_(memory), report_(report) {}

  std::unique_ptr<RaceBlock> begin(const Block& block);
  void nextLogicalBlock(Warp& warp);
  void made(Warp& warp, const Touch& touch, bool changed);
  void barrierArrives(Warp& warp, unsigned barrier, Mask lanes, bool waits);
  void barrierCompletes(Block& block, unsigned barrier);
  void warpBarrier(Warp& warp, Mask arriving, Mask named);
  void fence(Warp& warp);
  void clusterArrives(Warp& warp, Mask lanes);
  void clusterPassed(Warp& warp);
  void releases(Warp& warp, uint64_t object);
  void acquires(Warp& warp, uint64_t object);

private:
  struct Place; // an access and where it goes
  uint32_t newSerial(const Block& block);
  void compare(Warp& warp, const Touch& touch, ShadowCell& cell, PastAccess now, bool shared,
               uint64_t address);
  bool ordered(const RaceWarp& warp, unsigned index, unsigned lane, const PastAccess& past) const;
  void synchronise(Warp& warp, const Touch& touch, RaceSync& sync);
  RaceSync& clusterSync(Warp& warp);
  RaceSync& syncOf(Warp& warp, bool shared, uint64_t address);
  void report(Warp& warp, const Touch& touch, const PastAccess& past, const PastAccess& now,
              bool shared, uint64_t address);

  DeviceMemory& memory_;
  CheckReport& report_;
  ShadowPages global_;
  std::unordered_map<uint64_t, RaceSync> sync_;  // by address
  std::vector<std::array<uint32_t, 3>> blockOf_; // by serial: coordinates of the physical block
};

} // namespace gpusched::cpu
