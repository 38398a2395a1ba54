// StreamDepths.cpp - marks among the launches of each stream.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From some streams on, a new one takes the place of one with nothing under way, if there is one,
// so there are about as many as work at once. No allocation in the steady state.
#include "rt/launch/StreamDepths.h"

#include <algorithm>

namespace gpusched {

/// More may be kept than work at once: a search is faster than a question to the device.
static constexpr size_t kKept = 16;

StreamDepths::Stream* StreamDepths::find(uint64_t id) {
  const auto found = std::find_if(streams_.begin(), streams_.end(),
                                  [&](const Stream& stream) { return stream.id == id; });
  return found == streams_.end() ? nullptr : &*found;
}

/// A broken one may never end.
void StreamDepths::dropEnded(const gpusched_cudart& runtime, Completions& completions,
                             Stream& stream) {
  const auto goesOn = [&](const Mark& mark) {
    return !completions.finished(runtime, mark.completion) && !mark.completion->broken;
  };
  const auto first = std::find_if(stream.marks.begin(), stream.marks.end(), goesOn);
  std::for_each(stream.marks.begin(), first,
                [&](const Mark& mark) { completions.release(mark.completion); });
  stream.marks.erase(stream.marks.begin(), first);
}

StreamDepths::Stream& StreamDepths::make(const gpusched_cudart& runtime, Completions& completions,
                                         uint64_t id) {
  for (size_t i = 0; i < streams_.size() && streams_.size() >= kKept; ++i) {
    Stream& known = streams_[i];
    dropEnded(runtime, completions, known);
    if (!known.marks.empty())
      continue;
    known.id = id;
    return known;
  }
  return streams_.emplace_back(Stream{id});
}

void StreamDepths::add(const gpusched_cudart& runtime, Completions& completions, uint64_t id,
                       Completion* completion) {
  if (limit_ == 0 || !completion)
    return;
  Stream* stream = find(id);
  if (!stream)
    stream = &make(runtime, completions, id);
  ++stream->launches;
  if (!stream->marks.empty() && stream->launches - stream->marks.back().launch < limit_)
    return;
  dropEnded(runtime, completions, *stream); // nobody may ask how deep it is
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
