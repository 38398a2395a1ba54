// Pausing.cpp - stops and continues persistent kernels that run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pause number p of a launch (p from 1) sets the gate to p-1: gates below p are open, so what
// already passed them goes on, and gate p is the next the stream meets. It writes workers_per_sm =
// 0 into the pinned image and enqueues a copy of that to the control block: if the launch's own
// copy has not run yet, it copies the 0. Resume writes the budget into the image, which the spare
// behind the gate copies before it begins, and opens every gate, because a launch that is not
// paused again must run through all its spares. A launch that was just ending when the pause came
// has next >= total: its spares do nothing.
//
// While a stream is held, others may be that share its queue to the device, streams of ours among
// them, and queues fill up: whoever enqueues something may have to wait until the launch is
// resumed, a launch of the program with the device's lock in its hands. So
//   resume     writes host memory and nothing else, and does without that lock;
//   pause      leaves its copies to the attendant, which makes them without a lock.
// A copy that comes late reads the image when its turn has come, and leaves what the device has
// then in `stopped`. If that is there when the launch is resumed, or within a moment, no 0 is on
// its way any more; if it stands still, it will copy the budget.
//
// The stress knob pauses synchronously, inside the launch: nothing can follow in the stream
// before the launch returns, so it needs no gate and works on every device. A program whose
// kernel waits for the host to act after the launch would hang: tests only.
#include "rt/launch/Runtime.h"

#include "rt/launch/Inside.h"
#include "rt/launch/RelaxedCapture.h"
#include "rt/support/Log.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace gpusched {
namespace {

void store(uint32_t* word, uint32_t value) {
  __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

/// Not a budget.
constexpr uint32_t kNotYet = 0xffffffff;
/// For a copy of four bytes that is under way.
constexpr std::chrono::milliseconds kMoment{1};
/// For the device's lock, which a launch may keep for as long as its stream is held.
constexpr std::chrono::milliseconds kPatience{10};

/// Asks `isDone` until it is, or `limit` is over.
template <class Condition> bool within(std::chrono::microseconds limit, const Condition& isDone) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!isDone()) {
    if (std::chrono::steady_clock::now() >= deadline)
      return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

/// Is the copy of a pause on its way, or one that a launch before had made?
bool stopIsUnderWay(const ControlSlot& slot) {
  return __atomic_load_n(slot.stopped, __ATOMIC_SEQ_CST) == kNotYet;
}

bool enqueueStop(LaunchDevice& device, const ControlSlot& slot) {
  const gpusched_cudart runtime = device.runtime();
  void* const stream = device.sideStream();
  return stream && copyBudget(runtime, slot, &slot.image->workers_per_sm, stream) &&
         cudart::succeeded(runtime, runtime.memcpyAsync(slot.stopped, &slot.control->workers_per_sm,
                                                        sizeof *slot.stopped, cudart::kDeviceToHost,
                                                        stream));
}

/// For the stress knob. The image keeps its budget: where this fails, a launch that has not begun
/// must not copy another one, and where it succeeds, may well undo it.
bool stopNow(LaunchDevice& device, ControlSlot& slot) {
  slot.tidy = false;
  store(slot.stopped, 0);
  return device.copyNow(&slot.control->workers_per_sm, slot.stopped, sizeof *slot.stopped,
                        cudart::kHostToDevice);
}

} // namespace

void Runtime::pause(PerDevice& on, Pausable& launch) {
  {
    std::lock_guard<std::mutex> lock(on.pausing);
    if (launch.paused || launch.pauses == launch.spares || stopIsUnderWay(*launch.slot))
      return;
    store(launch.slot->gate, launch.pauses);
    launch.slot->setBudget(0);
    store(launch.slot->stopped, kNotYet);
    launch.slot->tidy = false; // if it is ending now, what the copy has left stays
    ++launch.pauses;
    launch.paused = true;
    on.stops.push_back(launch.slot);
  }
  on.trials.spoil();
  trace_.paused(launch.sequence);
}

void Runtime::askForStops(PerDevice& on) {
  settings_.attends && !stopping_ ? ringForAttendant() : makeStops(on);
}

/// What cannot be stopped goes on, with a pause less: it may have begun just now, and copied the 0.
void Runtime::makeStops(PerDevice& on) {
  std::vector<ControlSlot*> stops;
  {
    std::lock_guard<std::mutex> lock(on.pausing);
    stops.swap(on.stops);
  }
  const bool hasContext = stops.empty() || !Inside::isOwnThread() || on.current.make();
  for (ControlSlot* slot : stops) {
    if (hasContext && enqueueStop(on.device, *slot))
      continue;
    GPUSCHED_LOG_ONCE(LogLevel::Warning, "cannot stop a launch that is paused; it goes on");
    std::lock_guard<std::mutex> lock(on.pausing);
    store(slot->stopped, 0);
    for (Pausable& launch : on.pausable)
      if (launch.slot == slot)
        resume(launch);
  }
}

void Runtime::resume(Pausable& launch) {
  if (!launch.paused)
    return;
  ControlSlot& slot = *launch.slot;
  (void)within(kMoment, [&] { return !stopIsUnderWay(slot); });
  slot.setBudget(launch.budget);
  store(slot.gate, ControlSlot::kGatesOpen);
  launch.paused = false;
}

bool Runtime::giveBudget(PerDevice& on, ControlSlot& slot, uint32_t budget) {
  std::lock_guard<std::mutex> lock(on.pausing);
  for (Pausable& launch : on.pausable)
    if (launch.slot == &slot)
      launch.budget = budget;
  if (slot.budget() == 0)
    return false;
  slot.setBudget(budget);
  return true;
}

/// CUDA is asked before the lock is taken: only the device's is needed to read the list.
void Runtime::dropPausables(PerDevice& on, const std::function<bool(const Pausable&)>& isOver) {
  if (on.pausable.empty())
    return;
  for (Pausable& launch : on.pausable)
    launch.over = isOver(launch);
  std::lock_guard<std::mutex> lock(on.pausing);
  std::erase_if(on.pausable, [&](const Pausable& launch) {
    if (launch.over)
      on.device.completions.release(launch.completion);
    return launch.over;
  });
}

void Runtime::dropEndedPausables(PerDevice& on) {
  dropPausables(on, [&](const Pausable& launch) {
    return on.device.completions.finished(on.device.runtime(), launch.completion) ||
           launch.completion->broken; // its context is gone
  });
}

size_t Runtime::pausedNow(PerDevice& on) {
  std::lock_guard<std::mutex> lock(on.pausing);
  return size_t(std::count_if(on.pausable.begin(), on.pausable.end(),
                              [](const Pausable& launch) { return launch.paused; }));
}

bool Runtime::lockForPause(PerDevice& on, std::unique_lock<std::mutex>& device) {
  while (!within(kPatience, [&] { return device.try_lock(); })) {
    if (pausedNow(on) > 0)
      return false;
  }
  return true;
}

size_t Runtime::pauseAll() {
  size_t paused = 0;
  visitDevices([&](PerDevice& on) {
    std::unique_lock<std::mutex> device(on.device.mutex, std::defer_lock);
    if (!lockForPause(on, device) || on.pausable.empty())
      return; // relaxing the mode may make a context
    const RelaxedCapture relaxed(on.device.runtime());
    if (!relaxed)
      return;
    dropEndedPausables(on);
    const size_t before = pausedNow(on);
    for (Pausable& launch : on.pausable)
      pause(on, launch);
    askForStops(on);
    paused += std::max(pausedNow(on), before) - before; // others may have resumed some
  });
  return paused;
}

/// Where a launch keeps the device's lock, its context is there, and so is all that is written to.
void Runtime::resumeAll() {
  visitDevices([&](PerDevice& on) {
    std::unique_lock<std::mutex> device(on.device.mutex, std::defer_lock);
    if (within(kPatience, [&] { return device.try_lock(); }) && !on.pausable.empty()) {
      const RelaxedCapture relaxed(on.device.runtime()); // if not, they go on all the same
      dropEndedPausables(on);
    }
    std::lock_guard<std::mutex> lock(on.pausing);
    for (Pausable& launch : on.pausable)
      resume(launch);
  });
}

bool Runtime::ended(PerDevice& on, Completion* completion, std::chrono::microseconds limit) {
  return within(limit, [&] {
    return on.device.completions.finished(on.device.runtime(), completion) || completion->broken;
  });
}

void Runtime::stress(Flight& flight) {
  PerDevice& on = flight.on;
  const uint64_t total = cudart::count(flight.request.grid);
  const std::chrono::microseconds every(settings_.pauseEveryUs);
  std::chrono::microseconds patience = every;
  uint64_t before = 0;
  while (true) {
    Completion* round = on.device.completions.record(*flight.request.cudart, flight.request.stream);
    if (!round)
      return;
    bool paused = !ended(on, round, patience) && stopNow(on.device, *flight.slot);
    ended(on, round, std::chrono::hours(1));
    on.device.completions.release(round);
    uint64_t next = total, claims = 0;
    if (on.device.copyNow(&claims, &flight.slot->control->next, sizeof claims,
                          cudart::kDeviceToHost))
      next = claimedBlocks(uint32_t(claims) - flight.slot->before.next, flight.slot->batches);
    if (!paused || next >= total)
      return;
    ++flight.pauses;
    // A busy device may start the launch later than that: then it would never get on.
    patience = next == before ? 2 * patience : every;
    before = next;
    if (!on.device.copyNow(&flight.slot->control->workers_per_sm,
                           &flight.slot->image->workers_per_sm, sizeof(uint32_t),
                           cudart::kHostToDevice) ||
        !relaunchPersistent(flight.request, flight.plan, *flight.slot, flight.options)) {
      log(LogLevel::Error, "cannot resume '%s' after block %llu of %llu; its result is incomplete",
          flight.plan.kernel->name, static_cast<unsigned long long>(next),
          static_cast<unsigned long long>(total));
      return;
    }
  }
}

} // namespace gpusched
