// DeviceMemory.h - the cpu device's global memory: host memory with an allocation map.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device pointer is the host pointer. The map answers "which allocation holds this address"
// for cudaPointerGetAttributes, for free() and for messages about wild pointers.
// Only Device, Managed and Global memory counts against the device's capacity; Pinned and
// Registered memory is the host's. New memory holds one byte value throughout: CUDA leaves its
// contents open, but a program that reads what it never wrote should do the same in every run,
// and in its original and its transformed form. Filling with another byte than 0 finds such reads.
// Large allocations are pages of their own, so using one after it was freed is a fault.
// Thread-safe: every call takes the map's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace gpusched::cpu {

enum class MemoryKind : uint8_t { Device, Managed, Pinned, Registered, Global };

struct Allocation {
  void* base = nullptr;
  uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::Device;
  bool adopted = false; // someone else frees the memory
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

  uint64_t capacity() const { return capacity_; }
  uint64_t used() const;

private:
  void* takeFilled(uint64_t bytes) const;
  bool overlaps(uintptr_t begin, uint64_t bytes) const;

  mutable std::mutex mutex_;
  std::map<uintptr_t, Allocation> byBase_;
  uint64_t capacity_;
  uint8_t fill_;
  uint64_t used_ = 0;
};

} // namespace gpusched::cpu
