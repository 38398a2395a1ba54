// MapPages.h - pages that no file is behind, at chosen addresses or anywhere.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/mman.h>

#include <cstdint>

namespace gpusched::cpu {

/// Maps pages at `address`, over what is there; anywhere if it is null. With PROT_NONE they cost
/// nothing but their addresses. Null if the host has no room. The caller owns them.
inline uint8_t* mapPages(uint8_t* address, uint64_t bytes, int protection) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (address ? MAP_FIXED : 0) |
                    (protection == PROT_NONE ? MAP_NORESERVE : 0);
  void* const mapped = mmap(address, bytes, protection, flags, -1, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<uint8_t*>(mapped);
}

} // namespace gpusched::cpu
