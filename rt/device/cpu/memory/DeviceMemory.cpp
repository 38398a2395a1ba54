// DeviceMemory - the cpu device's global memory: host memory with an allocation map.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations are whole multiples of 256 bytes, so two never share a 256-byte line and an
// address belongs to at most one. `byBase_` is ordered by address: the holder of an address is
// the last entry that starts at or before it.
#include "rt/device/cpu/memory/DeviceMemory.h"

#include "rt/device/cpu/memory/ReservedMemory.h"
#include "rt/support/RoundUp.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <iterator>

namespace gpusched::cpu {

namespace {

constexpr uint64_t kAlignment = 256;
constexpr uint64_t kGap = 1024;                    // a multiple of kAlignment
constexpr uint64_t kMostFreedBytes = 256ull << 20; // kept back when guarded

int64_t distanceTo(const Allocation& allocation, uintptr_t address) {
  const uintptr_t base = reinterpret_cast<uintptr_t>(allocation.base);
  if (address < base)
    return -int64_t(base - address);
  return address - base < allocation.bytes ? 0 : int64_t(address - base - allocation.bytes) + 1;
}

uint64_t roundedUp(uint64_t bytes) {
  return roundUp(bytes, kAlignment);
}

/// True for memory that a GPU would take from its own DRAM with the address.
bool countsAgainstCapacity(MemoryKind kind) {
  return kind != MemoryKind::Mapped && (isOnDevice(kind) || kind == MemoryKind::Managed);
}

} // namespace

DeviceMemory::~DeviceMemory() {
  for (const auto* map : {&byBase_, &freed_})
    for (const auto& [base, allocation] : *map)
      release(allocation);
}

void DeviceMemory::release(const Allocation& allocation) const {
  if (allocation.adopted)
    return;
  uint8_t* const storage = static_cast<uint8_t*>(allocation.base) - gap_;
  giveReserved(AddressSpace::Global, storage, roundedUp(allocation.bytes) + 2 * gap_);
}

void DeviceMemory::guard() {
  std::lock_guard lock(mutex_);
  if (byBase_.empty())
    gap_ = kGap;
}

uint8_t* DeviceMemory::takeFilled(uint64_t bytes) const {
  uint8_t* const base = takeReserved(AddressSpace::Global, bytes);
  if (!base)
    return nullptr;
  if (bytes >= kOwnPages) {
    madvise(base, bytes, MADV_HUGEPAGE); // fewer faults; no matter if refused
    if (fill_ == 0)
      return base; // zeroed on first use: cheaper than clearing what a program may never touch
  }
  std::memset(base, fill_, bytes);
  return base;
}

void* DeviceMemory::allocate(uint64_t bytes, MemoryKind kind) {
  if (bytes == 0 || bytes > UINT64_MAX - kAlignment)
    return nullptr;
  const uint64_t rounded = roundedUp(bytes);
  const bool counted = countsAgainstCapacity(kind);

  std::lock_guard lock(mutex_);
  if (counted && rounded > capacity_ - used_)
    return nullptr;
  uint8_t* const storage = takeFilled(rounded + 2 * gap_);
  if (!storage)
    return nullptr;
  void* const base = storage + gap_;
  byBase_.emplace(reinterpret_cast<uintptr_t>(base), Allocation{base, bytes, kind, false});
  if (counted)
    used_ += rounded;
  return base;
}

bool DeviceMemory::adopt(void* base, uint64_t bytes, MemoryKind kind) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(base);
  if (!base || bytes == 0 || bytes > UINTPTR_MAX - begin)
    return false;
  std::lock_guard lock(mutex_);
  if (overlaps(begin, bytes))
    return false;
  byBase_.emplace(begin, Allocation{base, bytes, kind, true});
  return true;
}

bool DeviceMemory::free(void* base) {
  std::lock_guard lock(mutex_);
  const auto found = byBase_.find(reinterpret_cast<uintptr_t>(base));
  if (found == byBase_.end())
    return false;
  const Allocation allocation = found->second;
  byBase_.erase(found);
  generation_.fetch_add(1, std::memory_order_release);
  if (allocation.adopted)
    return true;
  if (countsAgainstCapacity(allocation.kind))
    used_ -= roundedUp(allocation.bytes);
  if (gap_)
    keepBack(allocation);
  else
    release(allocation);
  return true;
}

/// REQUIRES: mutex_ held.
void DeviceMemory::keepBack(const Allocation& allocation) {
  const uintptr_t base = reinterpret_cast<uintptr_t>(allocation.base);
  freed_.emplace(base, allocation);
  freedOrder_.push_back(base);
  freedBytes_ += allocation.bytes;
  while (freedBytes_ > kMostFreedBytes) {
    const auto oldest = freed_.find(freedOrder_.front());
    freedOrder_.pop_front();
    freedBytes_ -= oldest->second.bytes;
    release(oldest->second);
    freed_.erase(oldest);
  }
}

std::optional<Neighbour> DeviceMemory::nearest(const void* address) const {
  const uintptr_t wanted = reinterpret_cast<uintptr_t>(address);
  std::optional<Neighbour> best;
  const auto consider = [&](const Allocation& allocation, bool freed) {
    const int64_t distance = distanceTo(allocation, wanted);
    if (!best || std::abs(distance) < std::abs(best->distance))
      best = Neighbour{allocation, freed, distance};
  };
  std::lock_guard lock(mutex_);
  for (const bool freed : {false, true}) {
    const std::map<uintptr_t, Allocation>& map = freed ? freed_ : byBase_;
    const auto after = map.upper_bound(wanted);
    if (after != map.end())
      consider(after->second, freed);
    if (after != map.begin())
      consider(std::prev(after)->second, freed);
  }
  return best;
}

std::optional<Allocation> DeviceMemory::find(const void* address) const {
  const uintptr_t wanted = reinterpret_cast<uintptr_t>(address);
  std::lock_guard lock(mutex_);
  const auto after = byBase_.upper_bound(wanted);
  if (after == byBase_.begin())
    return std::nullopt;
  const auto& [base, allocation] = *std::prev(after);
  if (wanted - base >= allocation.bytes)
    return std::nullopt;
  return allocation;
}

void DeviceMemory::join(void* base, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  uintptr_t begin = reinterpret_cast<uintptr_t>(base);
  const auto after = byBase_.lower_bound(begin);
  if (after != byBase_.end() && after->first == begin + bytes &&
      after->second.kind == MemoryKind::Mapped) {
    bytes += after->second.bytes;
    byBase_.erase(after);
  }
  const auto next = byBase_.lower_bound(begin);
  if (next != byBase_.begin()) {
    const Allocation& before = std::prev(next)->second;
    const uintptr_t first = reinterpret_cast<uintptr_t>(before.base);
    if (before.kind == MemoryKind::Mapped && first + before.bytes == begin) {
      bytes += before.bytes;
      base = before.base;
      begin = first;
    }
  }
  byBase_.insert_or_assign(begin, Allocation{base, bytes, MemoryKind::Mapped, true});
}

void DeviceMemory::part(void* base, uint64_t bytes) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(base);
  std::lock_guard lock(mutex_);
  auto whole = byBase_.upper_bound(begin);
  if (whole == byBase_.begin())
    return;
  --whole;
  const uintptr_t end = whole->first + whole->second.bytes;
  if (end > begin + bytes) {
    void* const rest = static_cast<uint8_t*>(base) + bytes;
    byBase_.emplace(begin + bytes, Allocation{rest, end - begin - bytes, MemoryKind::Mapped, true});
  }
  if (whole->first == begin)
    byBase_.erase(whole);
  else
    whole->second.bytes = begin - whole->first;
  generation_.fetch_add(1, std::memory_order_release);
}

bool DeviceMemory::charge(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  if (bytes > capacity_ - used_)
    return false;
  used_ += bytes;
  return true;
}

void DeviceMemory::discharge(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  used_ -= bytes;
}

uint64_t DeviceMemory::used() const {
  std::lock_guard lock(mutex_);
  return used_;
}

/// REQUIRES: mutex_ held, bytes > 0, begin + bytes does not wrap.
bool DeviceMemory::overlaps(uintptr_t begin, uint64_t bytes) const {
  const auto next = byBase_.lower_bound(begin);
  if (next != byBase_.end() && next->first < begin + bytes)
    return true;
  if (next == byBase_.begin())
    return false;
  const auto& [base, allocation] = *std::prev(next);
  return begin - base < allocation.bytes;
}

} // namespace gpusched::cpu
