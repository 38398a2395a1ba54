// Apart.cpp - launches that are enqueued without the device's lock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA lets the caller wait where a stream's queue is full. So a launch whose stream is deep
// (StreamDepths.h) is announced: with an end that is to be recorded yet, it is among the running
// ones from its decision on, like any other. Then its thread gives the lock back, and enqueues it.
// Meanwhile
//   others     decide with it in view. One that must wait for it can be enqueued behind its end
//              only, so it is announced in turn, and its thread waits on the host for that end to
//              be recorded.
//   its slot   is nobody's but its thread's. What was decided about the budget of its kernel is
//              done to it afterwards.
//   raises     behind its end are planned afterwards; those that stand and know nothing of it are
//              dropped.
//   its stream takes no other launch.
// Where it cannot be enqueued, its end is recorded all the same, for those who wait for it.
//
// Who waits for an end has been announced after it, so no waits form a cycle. A launch that waits
// for another one's end in the host does so no longer than that one waits for room in its queue, as
// it would for the lock; but others do not. A program whose queue has no room until its other
// thread goes on would stand still: after a while (Settings::patience) the launch goes in front.
//
// All other launches go the same way, and keep the lock.
#include "rt/launch/Runtime.h"
#include "rt/support/Log.h"

#include <algorithm>

namespace gpusched {

bool Runtime::awaitsAnnounced(const Flight& flight) {
  return std::any_of(flight.after.begin(), flight.after.end(),
                     [](const Completion* end) { return end->announced; });
}

void Runtime::awaitAnnounced(Flight& flight, std::chrono::milliseconds patience,
                             std::unique_lock<std::mutex>& lock) {
  PerDevice& on = flight.on;
  if (!awaitsAnnounced(flight) ||
      on.apartEnded.wait_for(lock, patience, [&] { return !awaitsAnnounced(flight); }))
    return;
  log(LogLevel::Warning,
      "'%s' should begin behind a launch that has waited for room in its stream's queue for %lld "
      "ms; it starts now",
      flight.plan.policyKernel.name.c_str(), static_cast<long long>(patience.count()));
  std::erase_if(flight.after, [&](Completion* end) {
    const bool isGivenUp = end->announced;
    if (isGivenUp)
      on.device.completions.release(end);
    return isGivenUp;
  });
  flight.before = {};
  flight.before.reach(streamId(flight.request.stream), flight.sequence - 1);
  if (RunningEntry* const entry = on.running.find(flight.sequence))
    entry->before = flight.before;
}

/// Until nobody else enqueues in the launch's streams.
void Runtime::awaitStreams(const Flight& flight, std::unique_lock<std::mutex>& lock) {
  const std::vector<uint64_t>& apart = flight.on.apart;
  const auto isFree = [&](uint64_t stream) {
    return std::find(apart.begin(), apart.end(), stream) == apart.end();
  };
  flight.on.apartEnded.wait(lock, [&] {
    return isFree(streamId(flight.request.stream)) &&
           (!flight.joins() || isFree(flight.fused->otherStream));
  });
}

bool Runtime::goesApart(const Flight& flight) const {
  PerDevice& on = flight.on;
  return awaitsAnnounced(flight) ||
         (!settings_.pauseEveryUs && on.depths.isDeep(*flight.request.cudart, on.device.completions,
                                                      streamId(flight.request.stream)));
}

/// While this object is there, a launch is enqueued; where it goes apart, others have the lock, and
/// none launches in its streams. What the launch waits for is enqueued.
class Runtime::Enqueuing {
public:
  Enqueuing(Flight& flight, Completion* end, bool isApart, std::chrono::milliseconds patience,
            std::unique_lock<std::mutex>& lock)
      : flight_(flight), end_(end), lock_(lock) {
    std::vector<uint64_t>& apart = flight.on.apart;
    if (isApart)
      streams_.push_back(streamId(flight.request.stream));
    if (isApart && flight.joins())
      streams_.push_back(flight.fused->otherStream);
    apart.insert(apart.end(), streams_.begin(), streams_.end());
    awaitAnnounced(flight, patience, lock_);
    if (isApart)
      lock_.unlock();
  }
  ~Enqueuing() {
    if (!lock_.owns_lock())
      lock_.lock();
    if (end_)
      Completions::settle(*end_, isRecorded);
    if (flight_.trial)
      Trials::settle(*flight_.trial, flight_.isMeasured);
    for (uint64_t stream : streams_)
      std::erase(flight_.on.apart, stream);
    if (!streams_.empty())
      flight_.on.apartEnded.notify_all();
  }

  bool isRecorded = false;

private:
  Flight& flight_;
  Completion* const end_;
  std::unique_lock<std::mutex>& lock_;
  std::vector<uint64_t> streams_;
};

void Runtime::enqueueDecided(Flight& flight, ControlSlot* slot, int& error,
                             std::unique_lock<std::mutex>& lock) {
  PerDevice& on = flight.on;
  Completion* const end = on.device.completions.announce(*flight.request.cudart);
  const bool isApart = end && goesApart(flight);
  if (isApart) {
    enter(flight, end, slot);
    planReliefs(on, flight.sequence);
  }
  {
    Enqueuing enqueuing(flight, end, isApart, settings_.patience, lock);
    enqueuing.isRecorded = enqueue(flight, slot, end, error);
  }
  if (!isApart && error == cudart::kSuccess)
    enter(flight, end, flight.slot);
  // Nobody has asked yet whether the launch is over, so where it has an entry it is there still.
  RunningEntry* const entry = on.running.find(flight.sequence);
  if (slot)
    settleSlot(flight, *slot, end, entry);
  if (entry && error != cudart::kSuccess)
    on.running.withdraw(*entry, on.device.completions);
  planReliefs(on, flight.sequence);
  on.device.completions.release(end);
}

void Runtime::settleSlot(const Flight& flight, ControlSlot& slot, Completion* end,
                         RunningEntry* entry) {
  PerDevice& on = flight.on;
  keepSlot(flight, slot, end);
  if (entry && flight.slot) {
    slot.owner = entry->seen.firstSequence;
    return catchUp(on, *entry, slot, flight.options.workers.blocksPerSm);
  }
  if (!entry || entry->launches > 1) // the others have their budget
    return;
  entry->slot = nullptr;
  entry->seen.blocksPerSm = 0;
  entry->seen.yields = false;
}

} // namespace gpusched
