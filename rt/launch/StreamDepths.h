// StreamDepths.h - which streams have many launches waiting.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of each stream some completions are kept as marks, one every `limit` launches. A stream is deep
// where the oldest mark that has not ended is at least `limit` launches old: so many are under way,
// and where fewer than twice as many are, it may not be. Cost: nothing of a launch but a count
// where the oldest mark is young; else, and with each new mark, a question to the device for each
// mark that has ended, and one more.
//
// Not thread-safe: the owner holds its lock.
#pragma once

#include "rt/launch/Completions.h"

#include <cstdint>
#include <vector>

namespace gpusched {

class StreamDepths {
public:
  /// `limit` 0: no stream is deep.
  explicit StreamDepths(uint32_t limit) : limit_(limit) {}
  /// A launch of the stream that ends with `completion`, which may be null: then it is not counted.
  void add(const gpusched_cudart& runtime, Completions& completions, uint64_t stream,
           Completion* completion);
  bool isDeep(const gpusched_cudart& runtime, Completions& completions, uint64_t stream);

private:
  struct Mark {
    Completion* completion;
    uint64_t launch;
  };
  struct Stream {
    uint64_t id;
    uint64_t launches = 0;
    std::vector<Mark> marks = {}; ///< oldest first
  };

  Stream* find(uint64_t id);
  static void dropEnded(const gpusched_cudart& runtime, Completions& completions, Stream& stream);
  Stream& make(const gpusched_cudart& runtime, Completions& completions, uint64_t id);

  const uint32_t limit_;
  std::vector<Stream> streams_;
};

} // namespace gpusched
