// ReservedMemory - ranges of granules for what is large, granules cut by size for the rest.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A range is one mapping without access; granules in use are mapped over it. Free granules of a
// range are intervals ordered by address, taken first fit and joined when given back. All notes
// lie outside the ranges, where no kernel writes.
#include "rt/device/cpu/memory/ReservedMemory.h"

#include "rt/device/cpu/memory/MapPages.h"
#include "rt/support/RoundUp.h"

#include <sys/mman.h>

#include <bit>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace gpusched::cpu {

namespace {

constexpr uint64_t kGranule = 2 << 20;
constexpr uint64_t kLine = 256;                // of addresses; two blocks never share one
constexpr uint64_t kRangeBytes = 256ull << 30; // without its guards
constexpr uint64_t kSlack = 64 << 10;          // mapped behind what has pages of its own
constexpr uint64_t kMostBytes = uint64_t(1) << 46;

/// Of a block with pages of its own.
uint64_t pagesOf(uint64_t bytes) {
  return roundUp(bytes + kSlack, kGranule);
}

/// Sizes of small blocks: every line up to eight, then eight to an octave.
uint64_t sizeClass(uint64_t bytes) {
  const uint64_t lines = roundUp(bytes, kLine);
  return lines <= 8 * kLine ? lines : roundUp(lines, std::bit_floor(lines - 1) / 8);
}

/// Addresses without memory, [begin, end).
class Range {
public:
  explicit Range(uint8_t* begin) : begin_(begin) { free_.emplace(begin, kRangeBytes); }

  bool holds(const uint8_t* address) const {
    return address >= begin_ && address < begin_ + kRangeBytes;
  }

  /// Null if no free interval is large enough.
  uint8_t* take(uint64_t bytes) {
    for (auto at = free_.begin(); at != free_.end(); ++at) {
      const auto [base, length] = *at;
      if (length < bytes)
        continue;
      free_.erase(at);
      if (length > bytes)
        free_.emplace(base + bytes, length - bytes);
      return base;
    }
    return nullptr;
  }

  void give(uint8_t* base, uint64_t bytes) {
    auto after = free_.lower_bound(base);
    if (after != free_.end() && base + bytes == after->first) {
      bytes += after->second;
      after = free_.erase(after);
    }
    if (after != free_.begin() && std::prev(after)->first + std::prev(after)->second == base)
      std::prev(after)->second += bytes;
    else
      free_.emplace_hint(after, base, bytes);
  }

private:
  uint8_t* begin_;
  std::map<uint8_t*, uint64_t> free_; // start to length
};

/// Of one address space.
class Reserve {
public:
  uint8_t* take(uint64_t bytes) {
    if (bytes == 0 || bytes > kMostBytes)
      return nullptr;
    std::lock_guard lock(mutex_);
    return bytes >= kOwnPages ? takeGranules(pagesOf(bytes)) : takeSmall(bytes);
  }

  void give(uint8_t* base, uint64_t bytes) {
    std::lock_guard lock(mutex_);
    if (bytes >= kOwnPages)
      giveGranules(base, pagesOf(bytes));
    else
      unused_[sizeClass(bytes)].push_back(base);
  }

private:
  uint8_t* takeSmall(uint64_t bytes) {
    const uint64_t size = sizeClass(bytes);
    std::vector<uint8_t*>& unused = unused_[size];
    if (!unused.empty()) {
      uint8_t* const base = unused.back();
      unused.pop_back();
      return base;
    }
    if (uint64_t(shared_.end - shared_.next) < size) {
      uint8_t* const granule = takeGranules(kGranule);
      if (!granule)
        return nullptr;
      shared_ = {granule, granule + kGranule};
    }
    return std::exchange(shared_.next, shared_.next + size);
  }

  uint8_t* takeGranules(uint64_t bytes) {
    uint8_t* const base = takeAddresses(bytes);
    if (!base)
      return mapPages(nullptr, bytes, PROT_READ | PROT_WRITE);
    if (mapPages(base, bytes, PROT_READ | PROT_WRITE))
      return base;
    rangeOf(base)->give(base, bytes);
    return nullptr;
  }

  void giveGranules(uint8_t* base, uint64_t bytes) {
    Range* const range = rangeOf(base);
    if (!range)
      munmap(base, bytes);
    else if (mapPages(base, bytes, PROT_NONE))
      range->give(base, bytes);
  }

  uint8_t* takeAddresses(uint64_t bytes) {
    for (Range& range : ranges_)
      if (uint8_t* const base = range.take(bytes))
        return base;
    if (bytes > kRangeBytes || !addRange())
      return nullptr;
    return ranges_.back().take(bytes);
  }

  bool addRange() {
    const uint64_t bytes = kGuardBytes + kRangeBytes + kGuardBytes + kGranule;
    uint8_t* const base = mapPages(nullptr, bytes, PROT_NONE);
    if (!base)
      return false;
    const uint64_t begin = reinterpret_cast<uint64_t>(base) + kGuardBytes;
    ranges_.emplace_back(base + kGuardBytes + (roundUp(begin, kGranule) - begin));
    // Never given away: what reads a little before the first block meets zeroes too.
    return mapPages(ranges_.back().take(kGranule), kGranule, PROT_READ | PROT_WRITE) != nullptr;
  }

  Range* rangeOf(const uint8_t* address) {
    for (Range& range : ranges_)
      if (range.holds(address))
        return &range;
    return nullptr;
  }

  std::mutex mutex_;
  std::vector<Range> ranges_;
  std::map<uint64_t, std::vector<uint8_t*>> unused_; // by size class
  struct {
    uint8_t* next = nullptr;
    uint8_t* end = nullptr;
  } shared_; // what is left of the granule that small blocks are cut from
};

Reserve& reserve(AddressSpace space) {
  static Reserve* const reserves = new Reserve[2];
  return reserves[static_cast<size_t>(space)];
}

} // namespace

uint8_t* takeReserved(AddressSpace space, uint64_t bytes) {
  return reserve(space).take(bytes);
}

void giveReserved(AddressSpace space, uint8_t* base, uint64_t bytes) {
  reserve(space).give(base, bytes);
}

ReservedBytes reserveBytes(uint64_t bytes) {
  uint8_t* const base = takeReserved(AddressSpace::Block, bytes);
  if (!base)
    throw std::bad_alloc();
  return ReservedBytes(base, GiveReserved{bytes});
}

} // namespace gpusched::cpu
