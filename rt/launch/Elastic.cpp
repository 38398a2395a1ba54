// Elastic.cpp - budgets of running kernels, lowered when a neighbour comes, raised when it ends.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Down: the word is rewritten, first in the pinned images of the kernel's launches (whichever copy
// runs last, a launch's own or this one, it is right), then on the device; workers above the budget
// leave at one of their next claims.
//
// Up: workers that left are gone, so a second, helping launch of the same twin with the same
// arguments and control block brings new ones, in a stream of ours. They take slots, claim ids
// and leave like the others. The program's stream does not wait for that stream; instead the
// launch's own last worker waits until every claimed block has returned (Persistent.cuh), and
// help that comes too late finds nothing to claim. Nobody ever waits for help that has not begun.
//
// Up later: nobody tells the host when a neighbour ends, and a thread that asks would be one more
// in every program. So the raise is enqueued at once, behind cudaStreamWaitEvent on the
// neighbours' events: wait, copy the new budget, help. It waits for earlier launches only, like all
// our waits. The budget is read from a pinned word when the copy runs; when one more neighbour
// arrives first, that word is set back to the present budget, which makes the old raise harmless,
// and a new one is enqueued behind all of them. In a queue of launches, any of which may be the
// last to come, not every one replaces it: a raise may be early by an eighth of them. The host
// learns of a raise at the next launch.
//
// Does not: raise launches that have not started (theirs is the image's budget until the host
// comes by), nor kernels without known parameter sizes. A launch that can be paused is raised by
// the host only: a raise of the device's own would end a pause.
#include "rt/launch/Runtime.h"

#include <algorithm>
#include <bit>

namespace gpusched {
namespace {

void copyBudget(LaunchDevice& device, const ControlSlot& slot) {
  if (device.runtime().memcpyAsync(&slot.control->workers_per_sm, &slot.image->workers_per_sm,
                                   sizeof(uint32_t), cudart::kHostToDevice,
                                   device.sideStream()) != cudart::kSuccess)
    cudart::discardError(device.runtime());
}

/// The launch of the entry that is first in its stream: the one that runs, if one does.
ControlSlot* runningSlot(LaunchDevice& device, uint64_t owner) {
  ControlSlot* oldest = nullptr;
  for (ControlSlot* slot : device.pool.busy())
    if (slot->owner == owner && (!oldest || slot->sequence < oldest->sequence) &&
        !device.completions.finished(device.runtime(), slot->completion))
      oldest = slot;
  return oldest;
}

/// As many as the raise leaves room for, but, as in planWorkers, no more than there are logical
/// blocks unless a mask sends workers away.
uint64_t helpersFor(const LaunchDevice& device, const ControlSlot& slot, uint32_t from,
                    uint32_t to) {
  const uint64_t sms = device.limits().sms;
  uint64_t allowed = 0;
  for (uint32_t word : slot.image->sm_mask)
    allowed += uint64_t(std::popcount(word));
  uint64_t room = sms * (to - from);
  return allowed < sms ? room : std::min<uint64_t>(room, slot.saved.params.total);
}

/// At once, so not behind help that is still at work: in an empty stream, if there is one.
void raise(LaunchDevice& device, ControlSlot& slot, uint32_t from, uint32_t to) {
  void* const empty = device.reliefStream(LaunchDevice::kNobodys);
  Completion* const helping =
      enqueueHelpers(device, slot, &slot.image->workers_per_sm, helpersFor(device, slot, from, to),
                     empty ? empty : device.sideStream());
  if (empty && helping)
    device.helps(empty, Completions::share(helping));
}

/// Is the raise of `entry` good enough still? A queue that grows by one launch needs none anew as
/// long as an eighth of it, at most, has come behind those that the raise waits for.
bool isPlanned(const RunningEntry& entry, const RunningEntry& arrived) {
  return entry.plannedBy == arrived.seen.firstSequence &&
         arrived.launches < entry.plannedAt + std::max(1u, entry.plannedAt / 8);
}

} // namespace

/// A dropped raise, whenever it comes, writes what the budget is by then.
void Runtime::keepAsItIs(const Relief& relief, uint32_t budget) {
  __atomic_store_n(&relief.slot->relief[relief.word], budget, __ATOMIC_RELAXED);
}

/// Every launch of the entry in flight, started or not, has `budget` from now on.
void Runtime::rewriteBudgets(PerDevice& on, RunningEntry& entry, uint32_t budget) {
  for (ControlSlot* slot : on.device.pool.busy()) {
    if (slot->owner != entry.seen.firstSequence)
      continue;
    for (Pausable& launch : on.pausable)
      if (launch.slot == slot)
        launch.budget = budget;
    if (slot->image->workers_per_sm == 0)
      continue; // paused: it resumes with the new budget
    slot->image->workers_per_sm = budget;
    copyBudget(on.device, *slot);
  }
  entry.seen.blocksPerSm = budget;
  for (const Relief& relief : on.reliefs)
    if (relief.owner == entry.seen.firstSequence && relief.budget == 0)
      keepAsItIs(relief, budget);
}

void Runtime::setBudget(PerDevice& on, RunningEntry& entry, const Decision& decision) {
  uint32_t before = entry.seen.blocksPerSm;
  uint32_t after = std::min(decision.blocksPerSm, entry.seen.kernel->occupancyBlocksPerSm);
  entry.alone = std::max({entry.alone, decision.blocksPerSmAlone, before});
  if (decision.blocksPerSmAfter != 0)
    entry.seen.yields = true, entry.after = decision.blocksPerSmAfter;
  else if (entry.seen.yields)
    after = 0, entry.after = decision.blocksPerSm; // later
  if (after == 0)
    return;
  entry.seen.preempted = decision.preempts;
  if (after == before)
    return;
  rewriteBudgets(on, entry, after);
  ControlSlot* slot = after > before ? runningSlot(on.device, entry.seen.firstSequence) : nullptr;
  if (slot && slot->saved.cudart && slot->image->workers_per_sm != 0)
    raise(on.device, *slot, before, after);
}

/// The launch `newest` changed who runs beside whom. In a queue the raises of the entries in the
/// middle are dropped and not made anew: each would be one more launch for every launch.
void Runtime::planReliefs(PerDevice& on, uint64_t newest) {
  RunningEntry* arrived = on.running.find(newest);
  if (!arrived || hasCompany(on)) // of other processes: when it has gone, Sharing.cpp raises
    return;
  for (RunningEntry& entry : on.running.entries()) {
    if (!entry.slot || entry.alone <= entry.seen.blocksPerSm ||
        (&entry != arrived && !neighbours(entry, *arrived)) || isPlanned(entry, *arrived))
      continue;
    if (!on.running.isFirstOrLast(entry))
      dropReliefs(on, entry);
    else if (relieve(on, entry))
      entry.plannedBy = arrived->seen.firstSequence, entry.plannedAt = arrived->launches;
  }
}

/// Raises enqueued earlier become harmless.
void Runtime::dropReliefs(PerDevice& on, const RunningEntry& entry) {
  for (Relief& relief : on.reliefs) {
    if (relief.owner != entry.seen.firstSequence || relief.budget == 0)
      continue;
    keepAsItIs(relief, entry.seen.blocksPerSm);
    relief.budget = 0;
  }
}

/// Makes `stream` wait for every neighbour; false where nothing has to be waited for.
bool Runtime::waitForNeighbours(PerDevice& on, const RunningEntry& entry, void* stream) {
  bool waits = false;
  on.running.waitForAll(
      {}, [&](const RunningEntry& other) { return neighbours(entry, other); },
      [&](const RunningEntry& other) {
        waits |= on.device.runtime().streamWaitEvent(stream, other.completion->event, 0) ==
                 cudart::kSuccess;
      });
  return waits;
}

/// Enqueues the raise to entry.alone behind the end of every neighbour, instead of those before.
/// False: those stay as they are, since all words are in use.
bool Runtime::relieve(PerDevice& on, RunningEntry& entry) {
  ControlSlot* slot = runningSlot(on.device, entry.seen.firstSequence);
  const uint32_t word = slot ? uint32_t(std::countr_one(slot->reliefsInUse)) : 0;
  if (word == ControlSlot::kReliefWords)
    return false;
  dropReliefs(on, entry);
  bool pausable = std::any_of(on.pausable.begin(), on.pausable.end(),
                              [&](const Pausable& launch) { return launch.slot == slot; });
  if (!slot || !slot->saved.cudart || pausable)
    return true;
  void* stream = on.device.reliefStream(entry.seen.stream);
  if (!stream || !waitForNeighbours(on, entry, stream))
    return true;
  const uint32_t alone = std::min(entry.alone, entry.seen.kernel->occupancyBlocksPerSm);
  __atomic_store_n(&slot->relief[word], alone, __ATOMIC_RELAXED);
  slot->reliefsInUse |= uint64_t(1) << word;
  Completion* copied = nullptr;
  Completion* const helping =
      enqueueHelpers(on.device, *slot, &slot->relief[word],
                     helpersFor(on.device, *slot, entry.seen.blocksPerSm, alone), stream, &copied);
  if (helping)
    on.device.helps(stream, Completions::share(helping));
  if (copied)
    on.reliefs.push_back({entry.seen.firstSequence, slot, word, copied, alone});
  return true;
}

/// Takes note of the raises that the device has made.
void Runtime::settleReliefs(PerDevice& on) {
  std::erase_if(on.reliefs, [&](Relief& relief) {
    if (!on.device.completions.finished(on.device.runtime(), relief.copied) &&
        !relief.copied->broken)
      return false;
    on.device.completions.release(relief.copied);
    if (relief.slot->owner == relief.owner)
      relief.slot->reliefsInUse &= ~(uint64_t(1) << relief.word);
    for (RunningEntry& entry : on.running.entries())
      if (entry.seen.firstSequence == relief.owner && relief.budget != 0) {
        rewriteBudgets(on, entry, relief.budget);
        entry.seen.preempted = false;
        entry.plannedBy = 0;
      }
    return true;
  });
}

} // namespace gpusched
