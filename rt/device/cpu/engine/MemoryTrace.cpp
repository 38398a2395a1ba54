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

constexpr unsigned kWordBits = 2;
constexpr unsigned kMostUnits = kLanes * 8; // of an access: 32 lanes, 32 bytes each at most

/// The distinct units of 2^bits bytes that `runs` touch; returns how many.
unsigned distinctUnits(const AccessRuns& runs, unsigned bits, uint64_t* units) {
  unsigned count = 0;
  for (const AccessRuns::Run& run : runs)
    for (uint64_t unit = run.first >> bits; unit <= (run.end - 1) >> bits && count < kMostUnits;
         ++unit)
      units[count++] = unit;
  if (runs.increasing(bits))
    return count;
  std::sort(units, units + count);
  return static_cast<unsigned>(std::unique(units, units + count) - units);
}

/// The banks of a run of at most 32 words, a bit each.
uint32_t banksOf(uint64_t firstWord, uint64_t words) {
  return std::rotl(static_cast<uint32_t>((uint64_t(1) << words) - 1), firstWord % kBanks);
}

/// True if no bank is used by two runs, so that one pass serves all.
bool conflictFree(const AccessRuns& runs) {
  uint32_t used = 0;
  for (const AccessRuns::Run& run : runs) {
    const uint64_t first = run.first >> kWordBits;
    const uint64_t words = ((run.end - 1) >> kWordBits) - first + 1;
    const uint32_t banks = words <= kBanks ? banksOf(first, words) : ~0u;
    if (words > kBanks || (used & banks))
      return false;
    used |= banks;
  }
  return true;
}

unsigned bankPasses(const AccessRuns& runs) {
  if (conflictFree(runs))
    return 1;
  uint64_t words[kMostUnits];
  const unsigned count = distinctUnits(runs, kWordBits, words);
  unsigned perBank[kBanks] = {};
  for (unsigned i = 0; i < count; ++i)
    ++perBank[words[i] % kBanks];
  return *std::max_element(perBank, perBank + kBanks);
}

} // namespace

void MemoryTrace::remember(uint64_t sector) {
  const uint64_t bit = sector * kHash >> 49;
  uint64_t& word = bitmap_[bit / 64];
  used_ += !(word >> (bit % 64) & 1);
  word |= uint64_t(1) << (bit % 64);
}

unsigned MemoryTrace::sectors(const AccessRuns& runs) {
  uint64_t touched[kMostUnits];
  const unsigned count = distinctUnits(runs, kSectorBits, touched);
  for (unsigned i = 0; i < count; ++i)
    remember(touched[i]);
  return count;
}

void MemoryTrace::global(AccessKind kind, const AccessRuns& runs) {
  const unsigned count = sectors(runs);
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
void MemoryTrace::local(unsigned lanes, unsigned bytes) {
  sums_.localSectors += (lanes * bytes + 31) >> kSectorBits;
}

void MemoryTrace::shared(const AccessRuns& runs) {
  ++sums_.sharedAccesses;
  sums_.sharedPasses += bankPasses(runs);
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
  const double empty = std::max(1.0, double(kBitmapBits) - used_);
  counters.distinctSectors +=
      static_cast<uint64_t>(std::llround(-double(kBitmapBits) * std::log(empty / kBitmapBits)));
}

} // namespace gpusched::cpu
