// MemoryTrace.h - sectors and bank passes of a block's memory accesses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: count what a GPU's memory system would see of one warp instruction.
// Model: global and local memory move in 32-byte sectors; shared memory has 32 banks of
// 4 bytes and serves one row a bank each pass; lanes that read the same word share it.
// Distinct sectors are estimated per block by a linear-counting bitmap, so blocks that
// share data are counted once each: an upper bound over a launch.
// Cost: only paid when GpuOptions::counters is set.
#pragma once

#include "rt/device/cpu/engine/AccessRuns.h"
#include "rt/schema/Counters.h"

#include <vector>

namespace gpusched::cpu {

enum class AccessKind : uint8_t { Load, Store, Atomic };

struct MemoryTrace {
  static constexpr unsigned kBitmapBits = 1 << 15;

  void global(AccessKind kind, const AccessRuns& runs);
  void local(unsigned lanes, unsigned bytes);
  /// Runs of offsets into the block's shared memory.
  void shared(const AccessRuns& runs);
  void addTo(KernelCounters& counters) const;

private:
  unsigned sectors(const AccessRuns& runs);
  void remember(uint64_t sector);
  KernelCounters sums_;
  std::vector<uint64_t> bitmap_ = std::vector<uint64_t>(kBitmapBits / 64);
  unsigned used_ = 0; // bits set in bitmap_
};

} // namespace gpusched::cpu
