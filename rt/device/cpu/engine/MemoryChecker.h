// MemoryChecker.h - is every access inside memory that the thread may touch?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports, with the nearest allocation and the distance to it:
//   global  outside every allocation, in one that was freed, or in memory of the host that the
//           device does not know
//   shared  outside the block's memory; a read of bytes that nobody in the block has written
//   local   outside what the thread's active functions have
//   mbarrier  begun when it has not ended, used or ended when it has not begun
//   all     an address that is not a multiple of the access's size
// A generic address is sorted into these spaces by its value.
// Does not: tell variables of one space apart (two arrays of a block's shared memory), or look at
// what the host copies.
// Cost: a look-up of the allocation per lane, usually answered by the one before.
#pragma once

#include "rt/device/cpu/engine/CheckReport.h"
#include "rt/device/cpu/engine/Touch.h"
#include "rt/device/cpu/memory/DeviceMemory.h"

namespace gpusched::cpu {

class Warp;

class MemoryChecker {
public:
  MemoryChecker(DeviceMemory& memory, CheckReport& report) : memory_(memory), report_(report) {}

  /// False, and reported, if the access must not be made.
  bool allows(Warp& warp, const Touch& touch);
  /// Reports, and notes, that an mbarrier begins twice, or is used or ended when there is none.
  void mbarrier(Warp& warp, const Touch& touch, MbarrierStep step);
  /// Shared memory counts as new, except the persistent loop's own.
  static void nextLogicalBlock(Warp& warp);

private:
  bool checkShared(Warp& warp, const Touch& touch, uint64_t offset);
  bool checkLocal(Warp& warp, const Touch& touch);
  bool checkGlobal(Warp& warp, const Touch& touch);
  bool holds(uint64_t address, uint64_t bytes) const;
  void report(Warp& warp, const Touch& touch, const char* what, const std::string& where);

  DeviceMemory& memory_;
  CheckReport& report_;
};

} // namespace gpusched::cpu
