// Checker.h - the checks of `gpusched run --check`: what they see, and who asks them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: tell the author of a kernel that an access is wrong (memory) or unordered (race), at
// no cost when nobody asked.
// How: install() replaces the handlers of a module's loads, stores and atomics, once, when the
// module is loaded; the original is called for the lanes whose access may be made. Handlers that
// are slow anyway (barriers, fences, matrices, copies) test Warp::checker instead. So without a
// check not one instruction more is executed.
//   memory  MemoryChecker.h: a bad access is reported and left out, and the kernel goes on
//   race    RaceChecker.h: an access is made and then compared with earlier ones
// Threads: memory checks run on all workers; with race checks there is one worker.
#pragma once

#include "rt/device/cpu/engine/Access.h"
#include "rt/device/cpu/engine/CheckReport.h"
#include "rt/device/cpu/engine/Gpu.h"
#include "rt/device/cpu/engine/MemoryChecker.h"
#include "rt/device/cpu/engine/RaceChecker.h"
#include "rt/device/cpu/engine/Touch.h"

#include <memory>
#include <vector>

namespace gpusched::cpu {

class Block;
class Warp;

/// What the checkers know of a resident block.
struct BlockShadow {
  std::vector<uint8_t> sharedWritten;  // a byte for each of shared memory
  std::vector<uint32_t> logicalBlocks; // by warp: how many a persistent worker has begun
  uint32_t logicalBlock = 0;           // the latest of them
  std::vector<uint64_t> mbarriers;     // offsets of those that have begun and not ended
  std::unique_ptr<RaceBlock> race;
};

class Checker {
public:
  Checker(CheckModes modes, DeviceMemory& memory);

  /// Puts the checks into a decoded module, before its opening twin is made.
  static void install(LoadedModule& module);

  // What handlers and Block report.
  void blockStarts(Block& block);
  /// The warp goes on with the next logical block of a persistent kernel.
  void nextLogicalBlock(Warp& warp);
  /// False if the access must not be made.
  bool allows(Warp& warp, const Touch& touch) {
    return !modes_.memory || memory_.allows(warp, touch);
  }
  /// The access has been made; `changed` is false for a store of what was there.
  void made(Warp& warp, const Touch& touch, bool changed = true) {
    if (modes_.race)
      race_.made(warp, touch, changed);
  }
  /// Both, of an access that is made at once: false if it must not be.
  bool admits(Warp& warp, const Touch& touch) {
    if (!allows(warp, touch))
      return false;
    made(warp, touch);
    return true;
  }
  /// Has the mbarrier begun if it must have, and not if it must not?
  void mbarrier(Warp& warp, const Touch& touch, MbarrierStep step) {
    if (modes_.memory)
      memory_.mbarrier(warp, touch, step);
  }
  void barrierArrives(Warp& warp, unsigned barrier, Mask lanes, bool waits);
  void barrierCompletes(Block& block, unsigned barrier);
  void warpBarrier(Warp& warp, Mask arriving, Mask named);
  void fence(Warp& warp);
  /// The barrier of the block's cluster.
  void clusterArrives(Warp& warp, Mask lanes);
  void clusterPassed(Warp& warp);
  /// Synchronisation through the mbarrier at that offset of shared memory.
  void releases(Warp& warp, uint64_t object);
  void acquires(Warp& warp, uint64_t object);

  bool checksRaces() const { return modes_.race; }
  const CheckReport& report() const { return report_; }

private:
  CheckModes modes_;
  CheckReport report_;
  MemoryChecker memory_;
  RaceChecker race_;
};

/// Checker::admits() of the warp's checker; true if it has none.
bool admits(Warp& warp, const Touch& touch);

} // namespace gpusched::cpu
