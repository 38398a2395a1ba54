// RunningSet.cpp - merges launches into entries and drops ended ones.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries keep their order of first launch; erasing is linear in a handful of entries.
#include "rt/launch/RunningSet.h"

#include <algorithm>

namespace gpusched {
namespace {

bool sameEntry(const RunningKernel& a, const RunningKernel& b) {
  return a.kernel == b.kernel && a.stream == b.stream && a.set == b.set &&
         a.blocksPerSm == b.blocksPerSm;
}

} // namespace

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
    if (!sameEntry(entry.seen, launch))
      continue;
    completions.release(entry.completion);
    entry.completion = completion;
    entry.slot = slot;
    entry.seen.lastSequence = launch.lastSequence;
    return &entry;
  }
  return &entries_.emplace_back(RunningEntry{launch, completion, slot});
}

bool RunningSet::beside(const RunningEntry& entry, uint64_t stream,
                        const std::vector<uint64_t>& after) const {
  if (entry.seen.stream == stream)
    return false;
  return std::none_of(entries_.begin(), entries_.end(), [&](const RunningEntry& other) {
    return other.seen.stream == entry.seen.stream &&
           other.seen.lastSequence >= entry.seen.lastSequence &&
           std::find(after.begin(), after.end(), other.seen.lastSequence) != after.end();
  });
}

bool RunningSet::neighbours(const RunningEntry& a, const RunningEntry& b) const {
  const RunningEntry& newer = a.seen.lastSequence > b.seen.lastSequence ? a : b;
  return beside(&newer == &a ? b : a, newer.seen.stream, newer.after);
}

RunningEntry* RunningSet::find(uint64_t sequence) {
  for (RunningEntry& entry : entries_)
    if (entry.seen.lastSequence == sequence)
      return &entry;
  return nullptr;
}

} // namespace gpusched
