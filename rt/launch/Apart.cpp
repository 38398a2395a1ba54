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
// Where it cannot be enqueued, its end is recorded all the same: it counts as one with no blocks.
//
// Who waits for an end has been announced after it, so no waits form a cycle. A launch that waits
// for another one's end in the host does so no longer than that one waits for room in its queue, as
// it would for the lock; but others do not.
//
// With the lock: what is measured or timed or paused by the stress knob, whose events are, and what
// is one launch for two, unless it has to wait for one that is announced.
#include "rt/launch/Runtime.h"

#include <algorithm>

namespace gpusched {

bool Runtime::awaitsAnnounced(const Flight& flight) {
  return std::any_of(flight.after.begin(), flight.after.end(),
                     [](const Completion* end) { return end->announced; });
}

void Runtime::awaitAnnounced(const Flight& flight, std::unique_lock<std::mutex>& lock) {
  flight.on.apartEnded.wait(lock, [&] { return !awaitsAnnounced(flight); });
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

bool Runtime::goesApart(const Flight& flight, bool isTried) const {
  PerDevice& on = flight.on;
  return awaitsAnnounced(flight) ||
         (!isTried && !trace_.timed() && !flight.joins() && !settings_.pauseEveryUs &&
          on.depths.isDeep(*flight.request.cudart, on.device.completions,
                           streamId(flight.request.stream)));
}

/// For as long as this object is there, others have the lock, and none launches in the launch's
/// streams.
class Runtime::Apart {
public:
  Apart(const Flight& flight, Completion& end, std::unique_lock<std::mutex>& lock)
      : on_(flight.on), streams_{streamId(flight.request.stream)}, end_(end), lock_(lock) {
    if (flight.joins())
      streams_.push_back(flight.fused->otherStream);
    on_.apart.insert(on_.apart.end(), streams_.begin(), streams_.end());
    awaitAnnounced(flight, lock_);
    lock_.unlock();
  }
  ~Apart() {
    lock_.lock();
    Completions::settle(end_, isRecorded);
    for (uint64_t stream : streams_)
      std::erase(on_.apart, stream);
    on_.apartEnded.notify_all();
  }

  bool isRecorded = false;

private:
  PerDevice& on_;
  std::vector<uint64_t> streams_;
  Completion& end_;
  std::unique_lock<std::mutex>& lock_;
};

/// Takes over a use of `end`, which is announced.
void Runtime::enqueueApart(Flight& flight, ControlSlot* slot, Completion& end, int& error,
                           std::unique_lock<std::mutex>& lock) {
  PerDevice& on = flight.on;
  const gpusched_launch_request& request = flight.request;
  enter(flight, Completions::share(&end), slot);
  planReliefs(on, flight.sequence);
  {
    Apart apart(flight, end, lock);
    makeWaits(flight);
    if (!slot || !enqueueTwin(flight, slot))
      enqueueNative(flight, error);
    // An error of the launch is the program's to ask for.
    apart.isRecorded = error == cudart::kSuccess
                           ? Completions::recordEvent(*request.cudart, request.stream, end)
                           : request.cudart->eventRecord(end.event, request.stream) == 0;
  }
  if (flight.joins() && error == cudart::kSuccess)
    joinOther(on, *flight.fused);
  if (slot)
    settleSlot(flight, *slot, end);
  planReliefs(on, flight.sequence);
  on.device.completions.release(&end);
}

/// Nobody has asked yet whether the launch is over, so it has its entry.
void Runtime::settleSlot(const Flight& flight, ControlSlot& slot, Completion& end) {
  PerDevice& on = flight.on;
  RunningEntry& entry = *on.running.find(flight.sequence);
  if (flight.slot) {
    keepSlot(flight, &end);
    slot.owner = entry.seen.firstSequence;
    return catchUp(on, entry, slot, flight.options.workers.blocksPerSm);
  }
  on.device.pool.inFlight(&slot, Completions::share(&end)); // a copy of its image may be under way
  entry.slot = nullptr;
  entry.seen.blocksPerSm = 0;
  entry.seen.yields = false;
}

} // namespace gpusched
