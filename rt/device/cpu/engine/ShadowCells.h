// ShadowCells.h - the latest accesses to each four bytes of memory, for the race checker.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cell remembers up to kMost accesses that no later one has made irrelevant. When it is full,
// the place in the code that has most entries in it loses its oldest: what is compared between
// runs are pairs of places, so every place is kept as long as possible.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace gpusched::cpu {

struct PastAccess {
  uint32_t warp = 0; // serial of the logical block * 32 + the warp's index in it
  uint32_t clock = 0;
  uint32_t op = 0; // index into LoadedModule::code
  uint8_t lane = 0;
  uint8_t bytes = 0; // of the four, a bit each; 0 = free
  bool writes : 1 = false;
  bool changed : 1 = false; // a write of another value than was there
  bool strong : 1 = false;
  bool atomic : 1 = false;
  bool blockScope : 1 = false;
  uint8_t age = 0; // of the cell's entries: larger is newer
};
static_assert(sizeof(PastAccess) == 16);

struct ShadowCell {
  static constexpr unsigned kMost = 4;
  static constexpr unsigned kBytes = 4;
  PastAccess past[kMost];
  uint8_t clock = 0;

  void add(PastAccess access);
};

/// Cells of global memory, in pages that belong to one launch at a time.
class ShadowPages {
public:
  ShadowCell& cell(uint64_t address, uint64_t launch);

private:
  static constexpr unsigned kPageBits = 8;
  struct Page {
    uint64_t launch = 0;
    ShadowCell cells[(1u << kPageBits) / ShadowCell::kBytes];
  };
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t lastNumber_ = ~uint64_t(0);
  Page* last_ = nullptr;
};

} // namespace gpusched::cpu
