// Knowledge.h - which warps' accesses a warp knows to be over: a sparse vector clock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One clock for each warp of each logical block; a block's 32 clocks are one entry. Immutable
// once shared, so that passing it on copies a pointer. Bounded: when there are more than kMost
// entries the oldest blocks are taken as known entirely, which can hide a race with them and
// never invents one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace gpusched::cpu {

inline constexpr unsigned kWarpsOfBlock = 32;
using WarpClocks = std::array<uint32_t, kWarpsOfBlock>;

inline void raise(WarpClocks& clocks, const WarpClocks& more) {
  for (unsigned i = 0; i < kWarpsOfBlock; ++i)
    clocks[i] = more[i] > clocks[i] ? more[i] : clocks[i];
}

class Knowledge;
using KnowledgeRef = std::shared_ptr<const Knowledge>;

class Knowledge {
public:
  static constexpr size_t kMost = 2048;

  bool covers(uint32_t block, unsigned warp, uint32_t clock) const;
  /// Up to which clock that warp is known; of a block forgotten, for ever.
  uint32_t clockOf(uint32_t block, unsigned warp) const;
  void raise(uint32_t block, const WarpClocks& clocks);
  void raise(const Knowledge& more);

  /// Both together; either may be null.
  static KnowledgeRef merged(const KnowledgeRef& a, const KnowledgeRef& b);

private:
  struct Entry {
    uint32_t block;
    WarpClocks clocks;
  };
  void forget();
  uint32_t floor_ = 0;         // every block below is known
  std::vector<Entry> entries_; // by block
};

} // namespace gpusched::cpu
