// LaneValue.h - one lane's value of a slot, for code that goes lane by lane.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstring>

namespace gpusched::cpu {

template <class T> T laneValue(const uint8_t* frame, uint32_t slot, unsigned lane) {
  T value;
  std::memcpy(&value, frame + slot + lane * sizeof value, sizeof value);
  return value;
}

} // namespace gpusched::cpu
