// StreamDepths.cpp - marks among the launches of each stream.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams that are over are forgotten when another one comes, so there are as many as work at once.
#include "rt/launch/StreamDepths.h"

#include <algorithm>

namespace gpusched {

StreamDepths::Stream* StreamDepths::find(uint64_t id) {
  const auto found = std::find_if(streams_.begin(), streams_.end(),
                                  [&](const Stream& stream) { return stream.id == id; });
  return found == streams_.end() ? nullptr : &*found;
}

/// A broken one may never end.
void StreamDepths::dropEnded(const gpusched_cudart& runtime, Completions& completions,
                             Stream& stream) {
  std::deque<Mark>& marks = stream.marks;
  while (!marks.empty() && (completions.finished(runtime, marks.front().completion) ||
                            marks.front().completion->broken)) {
    completions.release(marks.front().completion);
    marks.pop_front();
  }
}

void StreamDepths::forgetIdle(const gpusched_cudart& runtime, Completions& completions) {
  std::erase_if(streams_, [&](Stream& stream) {
    dropEnded(runtime, completions, stream);
    return stream.marks.empty();
  });
}

void StreamDepths::add(const gpusched_cudart& runtime, Completions& completions, uint64_t id,
                       Completion* completion) {
  if (limit_ == 0 || !completion)
    return;
  Stream* stream = find(id);
  if (!stream) {
    forgetIdle(runtime, completions);
    stream = &streams_.emplace_back(Stream{id});
  }
  ++stream->launches;
  if (stream->marks.empty() || stream->launches - stream->marks.back().launch >= limit_)
    stream->marks.push_back({Completions::share(completion), stream->launches});
}

bool StreamDepths::isDeep(const gpusched_cudart& runtime, Completions& completions, uint64_t id) {
  Stream* const stream = find(id);
  const auto isOld = [&] {
    return !stream->marks.empty() && stream->launches - stream->marks.front().launch + 1 >= limit_;
  };
  if (!stream || !isOld())
    return false;
  dropEnded(runtime, completions, *stream);
  return isOld();
}

} // namespace gpusched
