// StreamClock.h - what of every stream is over when a launch begins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector clock (Mattern 1989) with streams for processes: of each stream the newest launch that
// is known to end first. Launches of a stream follow one another, so that one number a stream
// tells of all before it, and the clock of a launch that waits for others is theirs, merged: also
// what it waits for only through them is known to be over.
// Knows of waits that the runtime makes, not of the program's own; so "not reached" may be wrong.
#pragma once

#include <cstdint>
#include <vector>

namespace gpusched {

/// cudaStreamLegacy is another name of the default stream.
inline uint64_t streamId(const void* stream) {
  const uint64_t id = reinterpret_cast<uintptr_t>(stream);
  return id == 1 ? 0 : id;
}

class StreamClock {
public:
  bool reached(uint64_t stream, uint64_t sequence) const;
  void reach(uint64_t stream, uint64_t sequence);
  void merge(const StreamClock& other);
  /// Forgets streams for which `isLive(stream)` is false.
  template <class IsLive> void prune(IsLive isLive) {
    std::erase_if(times_, [&](const Time& time) { return !isLive(time.stream); });
  }

private:
  struct Time {
    uint64_t stream, sequence;
  };
  std::vector<Time> times_; // a stream once; a handful, so searched from the front
};

} // namespace gpusched
