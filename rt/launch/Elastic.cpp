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
// Help that comes too early, for a launch that waits in its stream yet, finds nothing either: all
// workers of that launch are still to come.
//
// Up later: nobody tells the host when a neighbour ends. So the raise is enqueued at once, behind
// cudaStreamWaitEvent on the neighbours' events: wait, copy the new budget, help. It waits for
// earlier launches only, like all our waits. The budget is read from a pinned word when the copy
// runs; when one more neighbour arrives first, that word is set back to the present budget, which
// makes the old raise harmless, and a new one is enqueued behind all of them. In a queue of
// launches, any of which may be the last to come, not every one replaces it: a raise may be early
// by an eighth of them. The host learns of a raise, and gives the launches behind that one in its
// queue their budget, at the next launch of the program, or when a thread looks (Attendant.cpp),
// which also makes the raises that the device could not be given. With few connections to the GPU
// (Settings.cpp) it makes all of them: streams that share one wait for each other's work, and the
// program's must not wait for what ours wait for.
//
// Priorities (rt/policy/Priorities.h). A kernel that yields has its budget again behind the end of
// what outranks it, and the one for "alone" behind the end of all. For other processes it yields a
// moment longer: a program that somebody waits for comes in bursts.
//
// Does not: raise launches that have not started (theirs is the image's budget until the host
// comes by), nor kernels without known parameter sizes. A launch that can be paused is raised by
// the host only: a raise of the device's own would end a pause.
#include "rt/launch/Runtime.h"

#include <algorithm>
#include <bit>

namespace gpusched {
namespace {

/// In the number of a stream, for the first of two raises, which must not wait behind one that
/// waits for more. No address has it.
constexpr uint64_t kSooner = uint64_t(1) << 63;

/// Between two kernels of a program, its GPU is often idle for less than that.
constexpr std::chrono::milliseconds kLinger{1};

/// The oldest launch that is not over, of those for which `field` is `value`.
ControlSlot* oldestSlot(LaunchDevice& device, uint64_t ControlSlot::* field, uint64_t value) {
  ControlSlot* oldest = nullptr;
  for (ControlSlot* slot : device.pool.busy())
    if (slot->*field == value && (!oldest || slot->sequence < oldest->sequence) &&
        !device.completions.finished(device.runtime(), slot->completion))
      oldest = slot;
  return oldest;
}

/// Not without a launch, nor one whose code is gone or that is paused.
bool mayBeHelped(const ControlSlot* slot) {
  return slot && slot->saved.cudart && slot->budget() != 0;
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
  void* const stream = empty ? empty : device.sideStream();
  if (!stream)
    return;
  Completion* const helping = enqueueHelpers(device, slot, &slot.image->workers_per_sm,
                                             helpersFor(device, slot, from, to), stream);
  if (empty && helping)
    device.helps(empty, Completions::share(helping), nullptr);
}

bool makesStepBack(const RunningEntry& higher, const RunningEntry& lower) {
  return mayMeet(higher, lower) && outranks(higher.seen, lower.seen);
}

/// Does a raise of `entry` wait for the end of `other`? `sooner` as in RaiseBehind.
bool isBehind(const RunningEntry& entry, const RunningEntry& other, bool sooner) {
  return makesStepBack(other, entry) || (!sooner && neighbours(entry, other));
}

/// Would a raise of `entry`, planned now, have to wait for a launch that is announced only?
bool comesTooEarly(const RunningSet& running, const RunningEntry& entry) {
  const std::vector<RunningEntry>& all = running.entries();
  return std::any_of(all.begin(), all.end(), [&](const RunningEntry& other) {
    return other.completion->announced && isBehind(entry, other, false);
  });
}

/// Is the raise of `entry` good enough still? A queue that grows by one launch needs none anew as
/// long as an eighth of it, at most, has come behind those that the raise waits for.
bool isPlanned(const RunningEntry& entry, const RunningEntry& arrived) {
  return entry.plannedBy == arrived.seen.firstSequence &&
         arrived.launches < entry.plannedAt + std::max(1u, entry.plannedAt / 8);
}

} // namespace

/// The launch of the entry that runs, if one does: nothing of its stream is in front of it. What
/// the stream waits for besides, only the device knows.
ControlSlot* Runtime::runningSlot(PerDevice& on, const RunningEntry& entry) {
  ControlSlot* const first = oldestSlot(on.device, &ControlSlot::stream, entry.seen.stream);
  if (!first || first->owner != entry.seen.firstSequence)
    return nullptr;
  const std::vector<RunningEntry>& all = on.running.entries();
  const bool waits = std::any_of(all.begin(), all.end(), [&](const RunningEntry& other) {
    return !other.slot && other.seen.stream == entry.seen.stream &&
           other.seen.lastSequence < first->sequence;
  });
  return waits ? nullptr : first;
}

/// A dropped raise, whenever it comes, writes what the budget is by then.
void Runtime::keepAsItIs(const Relief& relief, uint32_t budget) {
  __atomic_store_n(&relief.slot->relief[relief.word], budget, __ATOMIC_RELAXED);
}

void Runtime::rewriteBudget(PerDevice& on, ControlSlot& slot, uint32_t budget) {
  if (!giveBudget(on, slot, budget))
    return;
  void* const stream = on.device.sideStream();
  if (!stream || !copyBudget(on.device.runtime(), slot, &slot.image->workers_per_sm, stream))
    slot.tidy = false; // the device has the former one
}

/// Every launch of the entry in flight, started or not, has `budget` from now on.
void Runtime::rewriteBudgets(PerDevice& on, RunningEntry& entry, uint32_t budget) {
  for (ControlSlot* slot : on.device.pool.busy())
    if (slot->owner == entry.seen.firstSequence)
      rewriteBudget(on, *slot, budget);
  entry.seen.blocksPerSm = budget;
  for (const Relief& relief : on.reliefs)
    if (relief.owner == entry.seen.firstSequence && relief.budget == 0)
      keepAsItIs(relief, budget);
}

void Runtime::setBudget(PerDevice& on, RunningEntry& entry, const Decision& decision) {
  uint32_t before = entry.seen.blocksPerSm;
  uint32_t after = std::min(decision.blocksPerSm, entry.seen.kernel->occupancyBlocksPerSm);
  entry.alone = std::max({entry.alone, decision.blocksPerSmAlone, before});
  if (decision.blocksPerSmAfter != 0) {
    if (!entry.seen.yields) // it steps back further, else
      entry.after = decision.blocksPerSmAfter;
    entry.seen.yields = true;
  } else if (entry.seen.yields)
    after = 0, entry.after = decision.blocksPerSm; // later
  if (after == 0)
    return;
  entry.seen.preempted = decision.preempts;
  if (after == before)
    return;
  rewriteBudgets(on, entry, after);
  ControlSlot* slot = after > before ? runningSlot(on, entry) : nullptr;
  if (mayBeHelped(slot))
    raise(on.device, *slot, before, after);
}

void Runtime::catchUp(PerDevice& on, const RunningEntry& entry, ControlSlot& slot,
                      uint32_t enqueuedWith) {
  const uint32_t budget = entry.seen.blocksPerSm;
  if (budget == enqueuedWith)
    return;
  rewriteBudget(on, slot, budget);
  if (budget > enqueuedWith && runningSlot(on, entry) == &slot && mayBeHelped(&slot))
    raise(on.device, slot, enqueuedWith, budget);
}

/// Where nothing outranks them any more, and `arriving`, unless null, does not either.
void Runtime::resumeYielding(PerDevice& on, const WaitingKernel* arriving) {
  std::vector<RunningEntry>& all = on.running.entries();
  if (std::none_of(all.begin(), all.end(),
                   [](const RunningEntry& entry) { return entry.seen.yields; }))
    return;
  const auto now = std::chrono::steady_clock::now();
  if (on.foreign && on.foreign->outrank(settings_.priority))
    on.outranked = now;
  if (now - on.outranked < kLinger)
    return;
  for (RunningEntry& entry : all) {
    const bool isOutranked = (arriving && outranks(*arriving, entry.seen)) ||
                             std::any_of(all.begin(), all.end(), [&](const RunningEntry& other) {
                               return outranks(other.seen, entry.seen);
                             });
    if (!entry.seen.yields || isOutranked)
      continue;
    entry.seen.yields = false;
    Decision resume;
    resume.blocksPerSm = entry.after;
    setBudget(on, entry, resume);
  }
}

/// What has no neighbour left has its budget of alone: also what the device did not raise, or only
/// the launch of a queue that ran then.
void Runtime::raiseLonely(PerDevice& on) {
  if (hasCompany(on))
    return;
  std::vector<RunningEntry>& all = on.running.entries();
  for (RunningEntry& entry : all) {
    const bool isAlone = std::none_of(all.begin(), all.end(), [&](const RunningEntry& other) {
      return neighbours(entry, other);
    });
    if (!entry.slot || !isAlone || entry.alone <= entry.seen.blocksPerSm)
      continue;
    Decision raise;
    raise.blocksPerSm = entry.alone;
    setBudget(on, entry, raise); // where it yields, that is for later
  }
}

/// The launch `newest` changed who runs beside whom; of one that is announced, its own raise has to
/// wait until it is enqueued. In a queue the raises of the entries in the middle are dropped and
/// not made anew: each would be one more launch for every launch.
void Runtime::planReliefs(PerDevice& on, uint64_t newest) {
  RunningEntry* arrived = on.running.find(newest);
  // Of other processes: when the company has gone, the attendant raises.
  if (!arrived || !settings_.deviceRaises || hasCompany(on))
    return;
  for (RunningEntry& entry : on.running.entries()) {
    const bool concerned = &entry == arrived || neighbours(entry, *arrived) ||
                           (entry.seen.yields && makesStepBack(*arrived, entry));
    if (!entry.slot || entry.alone <= entry.seen.blocksPerSm || !concerned ||
        isPlanned(entry, *arrived) || (&entry == arrived && arrived->completion->announced))
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

/// Enqueues the raise to entry.alone behind the end of every neighbour, instead of those before. Of
/// an entry that yields, and has neighbours which are no reason to, also one to what it had, behind
/// the end of those that are. False: it is to be planned once a launch is enqueued that is
/// announced now, or those before stay as they are, since all words are in use.
bool Runtime::relieve(PerDevice& on, RunningEntry& entry) {
  if (comesTooEarly(on.running, entry)) {
    dropReliefs(on, entry);
    entry.plannedBy = 0;
    return false;
  }
  ControlSlot* slot = oldestSlot(on.device, &ControlSlot::owner, entry.seen.firstSequence);
  const int words = entry.seen.yields ? 2 : 1;
  if (slot && std::popcount(slot->reliefsInUse) + words > int(ControlSlot::kReliefWords))
    return false;
  dropReliefs(on, entry);
  bool pausable = std::any_of(on.pausable.begin(), on.pausable.end(),
                              [&](const Pausable& launch) { return launch.slot == slot; });
  if (!slot || !slot->saved.cudart || pausable)
    return true;
  const std::vector<RunningEntry>& all = on.running.entries();
  const bool hasEquals = std::any_of(all.begin(), all.end(), [&](const RunningEntry& other) {
    return neighbours(entry, other) && !makesStepBack(other, entry);
  });
  const uint64_t stream = entry.seen.stream;
  Completion* copied = nullptr;
  if (entry.seen.yields && hasEquals)
    copied = raiseBehind(on, entry, *slot, {true, nullptr, stream | kSooner}, entry.after);
  // A raise that was dropped may come between the two and take the first one back.
  raiseBehind(on, entry, *slot, {false, copied, stream}, entry.alone);
  return true;
}

/// Returns the end of what writes the budget, until when on.reliefs keeps it; null: nothing is
/// raised.
Completion* Runtime::raiseBehind(PerDevice& on, const RunningEntry& entry, ControlSlot& slot,
                                 const RaiseBehind& what, uint32_t to) {
  const uint32_t from = entry.seen.blocksPerSm;
  to = std::min(to, entry.seen.kernel->occupancyBlocksPerSm);
  void* const stream = to > from ? on.device.reliefStream(what.ofStream) : nullptr;
  if (!stream)
    return nullptr;
  bool waits = false;
  const auto waitFor = [&](const Completion& completion) {
    waits |= Completions::makeWait(on.device.runtime(), stream, completion);
  };
  on.running.waitForAll(
      {}, [&](const RunningEntry& other) { return isBehind(entry, other, what.sooner); },
      [&](const RunningEntry& other) { waitFor(*other.completion); });
  if (what.written)
    waitFor(*what.written);
  if (!waits)
    return nullptr;
  const uint32_t word = uint32_t(std::countr_one(slot.reliefsInUse));
  __atomic_store_n(&slot.relief[word], to, __ATOMIC_RELAXED);
  slot.reliefsInUse |= uint64_t(1) << word;
  Completion* copied = nullptr;
  Completion* const helping = enqueueHelpers(
      on.device, slot, &slot.relief[word], helpersFor(on.device, slot, from, to), stream, &copied);
  if (helping)
    on.device.helps(stream, Completions::share(helping),
                    copied ? Completions::share(copied) : nullptr);
  if (copied)
    on.reliefs.push_back({entry.seen.firstSequence, &slot, word, copied, to});
  return copied;
}

/// The raise was of one launch, and another one of its queue may run by now, with the budget of
/// before.
void Runtime::helpSuccessor(PerDevice& on, const RunningEntry& entry, const Relief& relief,
                            uint32_t before) {
  ControlSlot* const running = runningSlot(on, entry);
  if (running != relief.slot && before < relief.budget && mayBeHelped(running))
    raise(on.device, *running, before, relief.budget);
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
        const uint32_t before = entry.seen.blocksPerSm;
        entry.seen.yields &= relief.budget < entry.after;
        rewriteBudgets(on, entry, relief.budget);
        helpSuccessor(on, entry, relief, before);
        entry.seen.preempted = false;
        entry.plannedBy = 0;
      }
    return true;
  });
}

} // namespace gpusched
