// DeviceMemory.h - the cpu device's global memory: host memory with an allocation map.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device pointer is the host pointer, into ReservedMemory.h. The map answers "which allocation
// holds this address" for cudaPointerGetAttributes, for free() and for messages about wild
// pointers. Only Device, Managed and Global memory counts against the device's capacity, and what
// VirtualMemory.h charges; Pinned and Registered memory is the host's. New memory holds one byte
// value throughout: CUDA leaves its contents open, but a program that reads what it never wrote
// should do the same in every run, and in its original and its transformed form. Filling with
// another byte than 0 finds such reads. Large allocations are pages of their own, so using one
// after it was freed is a fault. Guarded (for --check=memory): allocations keep a distance from
// each other, and freed memory is not used again until much more has been freed, so that a late
// access still finds whose it was. Thread-safe: every call takes the map's lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace gpusched::cpu {

enum class MemoryKind : uint8_t {
  Device,
  Managed,
  Pinned,
  Registered,
  Global,
  Mapped, // by VirtualMemory.h
};

/// Memory that a program's host code does not touch.
inline bool isOnDevice(MemoryKind kind) {
  return kind == MemoryKind::Device || kind == MemoryKind::Global || kind == MemoryKind::Mapped;
}

struct Allocation {
  void* base = nullptr;
  uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::Device;
  bool adopted = false; // someone else frees the memory
};

/// An allocation near an address, for messages.
struct Neighbour {
  Allocation allocation;
  bool freed = false;
  int64_t distance = 0; // bytes from its end if positive, to its start if negative; 0 = inside
};

class DeviceMemory {
public:
  explicit DeviceMemory(uint64_t capacityBytes, uint8_t fill = 0)
      : capacity_(capacityBytes), fill_(fill) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// 256-byte aligned; null when the device (or the host) has no room. Zero bytes gives null.
  void* allocate(uint64_t bytes, MemoryKind kind = MemoryKind::Device);
  /// Records memory that someone else owns (cudaHostRegister); false if it overlaps.
  bool adopt(void* base, uint64_t bytes, MemoryKind kind);
  /// False when `base` is not the start of an allocation. Adopted memory is only forgotten.
  bool free(void* base);
  std::optional<Allocation> find(const void* address) const;

  /// Mapped memory; neighbours become one allocation.
  void join(void* base, uint64_t bytes);
  /// Undoes join() for a part of what was joined.
  void part(void* base, uint64_t bytes);
  /// Counts memory that has no address yet; false when the device has no room.
  bool charge(uint64_t bytes);
  void discharge(uint64_t bytes);

  /// From now on allocations are guarded. Call it before the first.
  void guard();
  /// The allocation, living or freed, that holds `address` or is nearest to it.
  std::optional<Neighbour> nearest(const void* address) const;
  /// Changes whenever an allocation ends: find()'s answers from before may be stale.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  uint64_t capacity() const { return capacity_; }
  uint64_t used() const;

private:
  uint8_t* takeFilled(uint64_t bytes) const;
  bool overlaps(uintptr_t begin, uint64_t bytes) const;
  void release(const Allocation& allocation) const;
  void keepBack(const Allocation& allocation);

  mutable std::mutex mutex_;
  std::map<uintptr_t, Allocation> byBase_;
  uint64_t capacity_;
  uint8_t fill_;
  uint64_t used_ = 0;
  uint64_t gap_ = 0; // bytes on either side of an allocation, when guarded
  std::atomic<uint64_t> generation_{0};
  std::map<uintptr_t, Allocation> freed_; // guarded: not given back yet
  std::deque<uintptr_t> freedOrder_;
  uint64_t freedBytes_ = 0;
};

} // namespace gpusched::cpu
