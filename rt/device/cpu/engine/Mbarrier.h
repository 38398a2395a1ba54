// Mbarrier.h - an mbarrier object's bits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object is the program's 8 bytes of shared memory, laid out by us: bits 0-19 arrivals still
// awaited, 20-39 arrivals of a phase, 40-62 bytes of copies expected and not yet there (signed),
// 63 the parity of the phase in progress. A phase ends when nothing is awaited.
// Blocks of one cluster may be on several workers, so every change is one compare-and-swap.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gpusched::cpu {

struct Mbarrier {
  static constexpr uint64_t kCount = 0xfffff;
  static constexpr unsigned kExpectedShift = 20, kBytesShift = 40, kBytesBits = 23;
  static constexpr uint64_t kBytesMask = ((uint64_t(1) << kBytesBits) - 1) << kBytesShift;
  static constexpr uint64_t kPhase = uint64_t(1) << 63;

  static uint64_t initial(uint64_t count) {
    return (count & kCount) | (count & kCount) << kExpectedShift;
  }
  static bool phase(uint64_t object) { return (object & kPhase) != 0; }
  static uint32_t pending(uint64_t object) { return static_cast<uint32_t>(object & kCount); }

  static void drop(uint64_t& object, uint64_t count) {
    object -= std::min(count, object >> kExpectedShift & kCount) << kExpectedShift;
  }
  /// Expects `bytes` more (or, negative, fewer), then counts the arrivals.
  static void arrive(uint64_t& object, uint64_t count, int64_t bytes) {
    const uint64_t awaited = (object + (static_cast<uint64_t>(bytes) << kBytesShift)) & kBytesMask;
    object = (object & ~kBytesMask) | awaited;
    object -= std::min(object & kCount, count);
    if (object & (kCount | kBytesMask))
      return;
    object = (object ^ kPhase) | (object >> kExpectedShift & kCount);
  }
};

/// Applies `change` to the object at a host address.
template <class Change> void updateMbarrier(uint8_t* host, Change change) {
  uint64_t* const address = reinterpret_cast<uint64_t*>(host);
  uint64_t seen = __atomic_load_n(address, __ATOMIC_ACQUIRE);
  for (;;) {
    uint64_t next = seen;
    change(next);
    if (next == seen || __atomic_compare_exchange_n(address, &seen, next, false, __ATOMIC_ACQ_REL,
                                                    __ATOMIC_ACQUIRE))
      return;
  }
}

} // namespace gpusched::cpu
