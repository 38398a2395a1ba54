// MemoryTrace.cpp - counting sectors and bank passes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MemoryTrace.h for the model.
#include "rt/device/cpu/engine/MemoryTrace.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gpusched::cpu {
namespace {

constexpr unsigned kSectorBits = 5;
constexpr unsigned kBanks = 32;
constexpr uint64_t kHash = 0x9e3779b97f4a7c15;

/// Sorts `values` and drops repeats; returns how many remain.
unsigned distinct(uint64_t* values, unsigned count) {
  std::sort(values, values + count);
  return static_cast<unsigned>(std::unique(values, values + count) - values);
}

} // namespace

unsigned MemoryTrace::sectors(const uint64_t* addresses, Mask mask, unsigned bytes, bool remember) {
  uint64_t touched[kLanes * 3];
  unsigned count = 0;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const uint64_t address = addresses[std::countr_zero(rest)];
    const uint64_t last = (address + bytes - 1) >> kSectorBits;
    for (uint64_t sector = address >> kSectorBits; sector <= last && count < std::size(touched);
         ++sector)
      if (!count || touched[count - 1] != sector)
        touched[count++] = sector;
  }
  count = distinct(touched, count);
  if (!remember)
    return count;
  if (bitmap_.empty())
    bitmap_.resize(kBitmapBits / 64);
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t bit = touched[i] * kHash >> 49;
    bitmap_[bit / 64] |= uint64_t(1) << (bit % 64);
  }
  return count;
}

void MemoryTrace::global(AccessKind kind, const uint64_t* addresses, Mask mask, unsigned bytes) {
  const unsigned count = sectors(addresses, mask, bytes, true);
  if (kind == AccessKind::Atomic) {
    sums_.globalAtomicSectors += count;
  } else if (kind == AccessKind::Load) {
    sums_.globalLoadSectors += count;
    ++sums_.globalLoads;
  } else {
    sums_.globalStoreSectors += count;
    ++sums_.globalStores;
  }
}

/// Hardware interleaves local memory by lane: lane i's word k sits beside lane i+1's word k.
void MemoryTrace::local(const uint64_t* addresses, Mask mask, unsigned bytes) {
  sums_.localSectors += (std::popcount(mask) * bytes + 31) >> kSectorBits;
}

void MemoryTrace::shared(const uint64_t* offsets, Mask mask, unsigned bytes) {
  uint64_t words[kLanes * 4];
  unsigned count = 0;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const uint64_t offset = offsets[std::countr_zero(rest)];
    for (uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4 && count < std::size(words);
         ++word)
      words[count++] = word;
  }
  count = distinct(words, count);
  unsigned perBank[kBanks] = {};
  unsigned passes = 1;
  for (unsigned i = 0; i < count; ++i)
    passes = std::max(passes, ++perBank[words[i] % kBanks]);
  // A wide access takes at least one pass for every 128 bytes it moves, even without conflicts.
  ++sums_.sharedAccesses;
  sums_.sharedPasses += passes;
}

void MemoryTrace::addTo(KernelCounters& counters) const {
  counters.globalLoadSectors += sums_.globalLoadSectors;
  counters.globalStoreSectors += sums_.globalStoreSectors;
  counters.globalAtomicSectors += sums_.globalAtomicSectors;
  counters.globalLoads += sums_.globalLoads;
  counters.globalStores += sums_.globalStores;
  counters.localSectors += sums_.localSectors;
  counters.sharedAccesses += sums_.sharedAccesses;
  counters.sharedPasses += sums_.sharedPasses;
  if (bitmap_.empty())
    return;
  unsigned used = 0;
  for (uint64_t word : bitmap_)
    used += std::popcount(word);
  const double empty = std::max(1.0, double(kBitmapBits) - used);
  counters.distinctSectors +=
      static_cast<uint64_t>(std::llround(-double(kBitmapBits) * std::log(empty / kBitmapBits)));
}

} // namespace gpusched::cpu
