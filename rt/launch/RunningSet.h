// RunningSet.h - the launches that the scheduler knows of and that may not be over yet.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of one kernel, in one stream, admitted to the same set, run one after the other and
// share an entry; the entry's completion is that of the newest. So its size is bounded by
// streams x kernels x sets in flight, not by how far ahead of the device the program runs.
// Whether an entry is over is asked when the next launch arrives: there is no thread and no
// callback, and nothing waits on the host.
//
// Not thread-safe: the owner holds its lock.
#pragma once

#include "rt/launch/Completions.h"
#include "rt/launch/ControlPool.h"
#include "rt/launch/LaunchPlan.h"
#include "rt/launch/StreamClock.h"

#include <functional>
#include <vector>

namespace gpusched {

struct RunningEntry {
  RunningKernel seen; ///< what the policy sees
  Completion* completion = nullptr;
  ControlSlot* slot = nullptr; ///< of the newest launch, when persistent
  uint32_t alone = 0;          ///< budget once no neighbour is left; 0 = as now
  uint32_t after = 0;          ///< while it yields: budget once it need not
  StreamClock before = {};     ///< what is over when its newest launch begins
  /// Another stream whose launches from now on begin behind the newest one, which is of a pair; 0 =
  /// none, for the default stream is never that.
  uint64_t alsoOf = 0;
  uint32_t launches = 1; ///< that it stands for, with those that are over
  /// Its raise was last planned when this entry, its first launch's sequence, had so many launches.
  uint64_t plannedBy = 0;
  uint32_t plannedAt = 0;

  /// It has less than it would have without others.
  bool mayRise() const { return seen.yields || (slot && alone > seen.blocksPerSm); }
  /// As the next launch in `stream` finds it.
  RunningKernel seenFrom(uint64_t stream) const {
    RunningKernel found = seen;
    if (alsoOf != 0 && alsoOf == stream)
      found.stream = stream;
    return found;
  }
};

/// May a launch that begins at `before` run beside the newest one of the entry?
bool beside(const RunningEntry& entry, const StreamClock& before);
/// May the newest launches of the two run at the same time?
bool mayMeet(const RunningEntry& a, const RunningEntry& b);
/// The same of two that policies see.
bool neighbours(const RunningEntry& a, const RunningEntry& b);

class RunningSet {
public:
  /// Drops entries whose newest launch has ended, calling `ended` on each.
  void reap(const gpusched_cudart& runtime, Completions& completions,
            const std::function<void(const RunningEntry&)>& ended);
  /// Takes over one use of `completion`, which may be null: then the launch is not followed.
  /// Null when the launch is not followed.
  RunningEntry* add(const RunningKernel& launch, Completion* completion, ControlSlot* slot,
                    Completions& completions);
  /// There is nothing of its newest launch but the end.
  void withdraw(RunningEntry& entry, Completions& completions);
  const std::vector<RunningEntry>& entries() const { return entries_; }
  /// Entry whose newest launch is `sequence`; null when it is over.
  RunningEntry* find(uint64_t sequence);
  std::vector<RunningEntry>& entries() { return entries_; }
  /// What is over when a launch begins that comes now, in `stream`, and waits for nothing else.
  StreamClock before(uint64_t stream) const;
  /// Calls `wait` on few entries such that who waits for their newest launches waits for those of
  /// every `wanted` entry; none where `known` tells that all are over. Returns what is over then.
  template <class Wanted, class Wait>
  StreamClock waitForAll(StreamClock known, Wanted wanted, Wait wait) const {
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
      if (!beside(*entry, known) || !wanted(*entry))
        continue;
      wait(*entry);
      known.merge(entry->before);
      known.reach(entry->seen.stream, entry->seen.lastSequence);
    }
    return known;
  }
  /// Forgets the streams of which no launch is left.
  void prune(StreamClock& clock) const;
  bool anyMayRise() const;
  /// May it run now, or does nothing wait for it?
  bool isFirstOrLast(const RunningEntry& entry) const;

private:
  std::vector<RunningEntry> entries_;
  std::vector<uint64_t> busyStreams_; // scratch of reap
};

} // namespace gpusched
