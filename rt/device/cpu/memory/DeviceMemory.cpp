// DeviceMemory - the cpu device's global memory: host memory with an allocation map.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations are whole multiples of 256 bytes, so two never share a 256-byte line and an
// address belongs to at most one. `byBase_` is ordered by address: the holder of an address is
// the last entry that starts at or before it.
#include "rt/device/cpu/memory/DeviceMemory.h"

#include <cstdlib>
#include <iterator>

namespace gpusched::cpu {

namespace {

constexpr uint64_t kAlignment = 256;

/// True for memory that a GPU would take from its own DRAM.
bool countsAgainstCapacity(MemoryKind kind) {
  return kind == MemoryKind::Device || kind == MemoryKind::Managed || kind == MemoryKind::Global;
}

} // namespace

DeviceMemory::~DeviceMemory() {
  for (const auto& [base, allocation] : byBase_)
    if (!allocation.adopted)
      std::free(allocation.base);
}

void* DeviceMemory::allocate(uint64_t bytes, MemoryKind kind) {
  if (bytes == 0 || bytes > UINT64_MAX - kAlignment)
    return nullptr;
  const uint64_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const bool counted = countsAgainstCapacity(kind);

  std::lock_guard lock(mutex_);
  if (counted && rounded > capacity_ - used_)
    return nullptr;
  void* base = std::aligned_alloc(kAlignment, rounded);
  if (!base)
    return nullptr;
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
  if (allocation.adopted)
    return true;
  if (countsAgainstCapacity(allocation.kind))
    used_ -= (allocation.bytes + kAlignment - 1) / kAlignment * kAlignment;
  std::free(allocation.base);
  return true;
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
