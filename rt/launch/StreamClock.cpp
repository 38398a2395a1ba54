// StreamClock.cpp - linear in the streams that are busy.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/StreamClock.h"

#include <algorithm>

namespace gpusched {

bool StreamClock::reached(uint64_t stream, uint64_t sequence) const {
  return std::any_of(times_.begin(), times_.end(), [&](const Time& time) {
    return time.stream == stream && time.sequence >= sequence;
  });
}

void StreamClock::reach(uint64_t stream, uint64_t sequence) {
  for (Time& time : times_)
    if (time.stream == stream) {
      time.sequence = std::max(time.sequence, sequence);
      return;
    }
  times_.push_back({stream, sequence});
}

void StreamClock::merge(const StreamClock& other) {
  for (const Time& time : other.times_)
    reach(time.stream, time.sequence);
}

} // namespace gpusched
