// RunningSet.cpp - merges launches into entries and drops ended ones.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries keep their order of first launch; erasing is linear in a handful of entries.
#include "rt/launch/RunningSet.h"

#include <algorithm>

namespace gpusched {

bool beside(const RunningEntry& entry, const StreamClock& before) {
  return !before.reached(entry.seen.stream, entry.seen.lastSequence);
}

bool mayMeet(const RunningEntry& a, const RunningEntry& b) {
  const bool isNewer = a.seen.lastSequence > b.seen.lastSequence;
  return a.seen.stream != b.seen.stream && beside(isNewer ? b : a, (isNewer ? a : b).before);
}

bool neighbours(const RunningEntry& a, const RunningEntry& b) {
  return !a.seen.unmanaged && !b.seen.unmanaged && mayMeet(a, b);
}

void RunningSet::reap(const gpusched_cudart& runtime, Completions& completions,
                      const std::function<void(const RunningEntry&)>& ended) {
  busyStreams_.clear();
  std::erase_if(entries_, [&](RunningEntry& entry) {
    if (std::find(busyStreams_.begin(), busyStreams_.end(), entry.seen.stream) !=
        busyStreams_.end())
      return false; // behind a launch of its stream that has not ended
    if (!completions.finished(runtime, entry.completion) && !entry.completion->broken) {
      busyStreams_.push_back(entry.seen.stream);
      return false;
    }
    ended(entry);
    completions.release(entry.completion);
    return true;
  });
}

RunningEntry* RunningSet::add(const RunningKernel& launch, Completion* completion,
                              ControlSlot* slot, Completions& completions) {
  if (!completion)
    return nullptr;
  for (RunningEntry& entry : entries_) {
    if (!runInTurn(entry.seen, launch))
      continue;
    completions.release(entry.completion);
    entry.completion = completion;
    entry.slot = slot;
    entry.seen.lastSequence = launch.lastSequence;
    entry.seen.streamPriority = launch.streamPriority; // another stream may be where one was
    entry.seen.blocks = std::max(entry.seen.blocks, launch.blocks);
    ++entry.launches;
    return &entry;
  }
  return &entries_.emplace_back(RunningEntry{launch, completion, slot});
}

/// Of an entry with others that end stands for theirs.
void RunningSet::withdraw(RunningEntry& entry, Completions& completions) {
  entry.alsoOf = 0;
  if (entry.launches > 1)
    return;
  completions.release(entry.completion);
  entries_.erase(entries_.begin() + (&entry - entries_.data()));
}

StreamClock RunningSet::before(uint64_t stream) const {
  const RunningEntry* newest = nullptr;
  for (const RunningEntry& entry : entries_)
    if (entry.seen.stream == stream &&
        (!newest || newest->seen.lastSequence < entry.seen.lastSequence))
      newest = &entry;
  StreamClock clock;
  if (newest) {
    clock = newest->before;
    clock.reach(stream, newest->seen.lastSequence);
  }
  for (const RunningEntry& entry : entries_)
    if (entry.alsoOf != 0 && entry.alsoOf == stream) {
      clock.merge(entry.before);
      clock.reach(entry.seen.stream, entry.seen.lastSequence);
    }
  return clock;
}

void RunningSet::prune(StreamClock& clock) const {
  clock.prune([&](uint64_t stream) {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const RunningEntry& entry) { return entry.seen.stream == stream; });
  });
}

bool RunningSet::anyMayRise() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const RunningEntry& entry) { return entry.mayRise(); });
}

bool RunningSet::isFirstOrLast(const RunningEntry& entry) const {
  bool isFirst = true, isLast = true;
  for (const RunningEntry& other : entries_) {
    isFirst &= beside(other, entry.before) || &other == &entry;
    isLast &= beside(entry, other.before) || &other == &entry;
  }
  return isFirst || isLast;
}

RunningEntry* RunningSet::find(uint64_t sequence) {
  for (RunningEntry& entry : entries_)
    if (entry.seen.lastSequence == sequence)
      return &entry;
  return nullptr;
}

} // namespace gpusched
