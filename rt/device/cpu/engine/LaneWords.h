// LaneWords.h - one lane's word of a slot, for handlers that go lane by lane.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstring>

namespace gpusched::cpu {

inline uint32_t lane32(const uint8_t* frame, uint32_t slot, unsigned lane) {
  uint32_t value;
  std::memcpy(&value, frame + slot + lane * 4, sizeof value);
  return value;
}

inline uint64_t lane64(const uint8_t* frame, uint32_t slot, unsigned lane) {
  uint64_t value;
  std::memcpy(&value, frame + slot + lane * 8, sizeof value);
  return value;
}

} // namespace gpusched::cpu
