// ReservedMemory.h - address ranges that hold what kernels may address, and nothing else.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device address is a host address, so a kernel's bad index reaches whatever lies near its
// buffer. Here that is other memory of kernels, or pages that fault: what kernels may address is
// taken from ranges that are reserved for it, with kGuardBytes on either side that are never
// mapped. The process's own memory, the engine's registers among it, is out of reach of any index
// of 32 bits times eight bytes. Pages are mapped 2 MiB at a time, as on a GPU, and some before the
// first block and behind every large one: programs that read a row too far, which pass unnoticed
// on a GPU, meet zeroes or other buffers. --check=memory finds them.
// What is small shares pages, by sizes; what is freed is used again for the same size.
// Where no range can be reserved (a limit on address space), pages lie where the host puts them.
// Process-wide and never destroyed: devices end at different times. Thread-safe, a lock per space.
#pragma once

#include <cstdint>
#include <memory>

namespace gpusched::cpu {

/// Memory of at least so many bytes has pages of its own: zeroes when taken, faults once given
/// back.
inline constexpr uint64_t kOwnPages = 1 << 20;
inline constexpr uint64_t kGuardBytes = 32ull << 30;

/// Each has ranges of its own.
enum class AddressSpace : uint8_t {
  Global, // what programs allocate, and modules' variables
  Block,  // shared memory, stacks, parameters
};

/// Aligned to 256 bytes; null if the host has no room. Contents: see kOwnPages.
uint8_t* takeReserved(AddressSpace space, uint64_t bytes);
/// `space` and `bytes` as they were asked for.
void giveReserved(AddressSpace space, uint8_t* base, uint64_t bytes);

struct GiveReserved {
  uint64_t bytes = 0;
  void operator()(uint8_t* base) const { giveReserved(AddressSpace::Block, base, bytes); }
};
using ReservedBytes = std::unique_ptr<uint8_t[], GiveReserved>;

/// Of AddressSpace::Block. Throws std::bad_alloc where there is no room.
ReservedBytes reserveBytes(uint64_t bytes);

} // namespace gpusched::cpu
