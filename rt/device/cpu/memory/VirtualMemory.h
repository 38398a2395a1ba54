// VirtualMemory.h - address ranges and the memory behind them, apart from each other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuMemAddressReserve and cuMemCreate give: a range of addresses that fault, and memory that
// has no address until it is mapped into a range. Memory is a file without a name, so that it may
// lie in several ranges at once, keeps its contents between mappings and can be given to another
// process. Mapped memory is in the device's allocation map; neighbours in a range are one
// allocation there, since copies and fills may go across. It counts against the device's capacity
// from its creation, or import, to its last release, and holds zeroes at first whatever other
// memory is filled with. Where there is room, ranges have unmapped pages around them, as those of
// ReservedMemory.h. Thread-safe: every call takes the lock of the ranges.
#pragma once

#include "rt/device/cpu/memory/DeviceMemory.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace gpusched::cpu {

/// Sizes and addresses are multiples of it, as on a GPU.
inline constexpr uint64_t kVirtualGranularity = 2 << 20;

enum class Rights : uint8_t { None, Read, ReadWrite };

/// Gives its bytes back to the device, and to the host, when the last handle and the last mapping
/// let go of it.
class PhysicalMemory {
public:
  /// Null when the device or the host has no room.
  static std::shared_ptr<PhysicalMemory> create(DeviceMemory& device, uint64_t bytes);
  /// Memory that another process has exported. `file` stays the caller's. Null if it is none.
  static std::shared_ptr<PhysicalMemory> import(DeviceMemory& device, int file);
  ~PhysicalMemory();
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;

  uint64_t bytes() const { return bytes_; }
  /// A descriptor for another process, which the caller owns; -1 if there is none left.
  int share() const;

private:
  friend class VirtualMemory;
  PhysicalMemory(DeviceMemory& device, int file, uint64_t bytes)
      : device_(device), file_(file), bytes_(bytes) {}

  DeviceMemory& device_;
  int file_;
  uint64_t bytes_;
};

class VirtualMemory {
public:
  explicit VirtualMemory(DeviceMemory& device) : device_(device) {}
  ~VirtualMemory();
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  /// At `wanted` if that is free, else somewhere; null if the host has no such range. `alignment`
  /// is a power of two.
  void* reserve(uint64_t bytes, uint64_t alignment, void* wanted);
  /// False if this is no whole range, or memory is mapped in it.
  bool release(void* base, uint64_t bytes);

  /// The first bytes of `memory`, without rights. False outside of ranges and where something is
  /// mapped.
  bool map(void* at, uint64_t bytes, std::shared_ptr<PhysicalMemory> memory);
  /// False if these are not whole mappings without holes.
  bool unmap(void* base, uint64_t bytes);
  /// The same.
  bool allow(void* base, uint64_t bytes, Rights rights);

  std::optional<Rights> rights(const void* address) const;
  /// Null where nothing is mapped.
  std::shared_ptr<PhysicalMemory> at(const void* address) const;

private:
  struct Range {
    uint64_t bytes = 0;
    uint64_t guard = 0; // on either side
  };
  struct Mapping {
    std::shared_ptr<PhysicalMemory> memory;
    uint64_t bytes = 0;
    Rights rights = Rights::None;
  };
  using Mappings = std::map<uintptr_t, Mapping>;

  const Mapping* find(const void* address) const;
  std::optional<std::pair<Mappings::iterator, Mappings::iterator>> whole(const void* base,
                                                                         uint64_t bytes);
  bool isFree(uintptr_t begin, uint64_t bytes) const;

  DeviceMemory& device_;
  mutable std::mutex mutex_;
  std::map<uintptr_t, Range> ranges_;
  Mappings mappings_;
};

} // namespace gpusched::cpu
