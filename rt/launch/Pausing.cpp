// Pausing.cpp - stops and continues persistent kernels that run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pause number p of a launch (p from 1) sets the gate to p-1: gates below p are open, so what
// already passed them goes on, and gate p is the next the stream meets. Then it writes
// workers_per_sm = 0 into the pinned image and into the control block, in this order: if the
// launch's own copy has not run yet, it copies the 0. Resume writes the budget and opens every
// gate, because a launch that is not paused again must run through all its spares. A launch
// that was just ending when the pause came has next >= total: its spares do nothing.
//
// The stress knob pauses synchronously, inside the launch: nothing can follow in the stream
// before the launch returns, so it needs no gate and works on every device. A program whose
// kernel waits for the host to act after the launch would hang: tests only.
#include "rt/launch/Runtime.h"

#include "rt/launch/RelaxedCapture.h"
#include "rt/support/Log.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace gpusched {
namespace {

void storeGate(ControlSlot& slot, uint32_t value) {
  __atomic_store_n(slot.gate, value, __ATOMIC_SEQ_CST);
}

/// Where it fails, a launch that has not begun still copies a budget with which it ends.
bool writeBudget(LaunchDevice& device, ControlSlot& slot, uint32_t budget) {
  uint32_t& word = slot.image->workers_per_sm;
  const uint32_t before = std::exchange(word, budget);
  if (device.copyNow(&slot.control->workers_per_sm, &word, sizeof word, cudart::kHostToDevice))
    return true;
  word = std::max(before, budget);
  return false;
}

} // namespace

bool Runtime::pause(PerDevice& on, Pausable& launch) {
  if (launch.paused || launch.pauses == launch.spares)
    return false;
  storeGate(*launch.slot, launch.pauses);
  if (!writeBudget(on.device, *launch.slot, 0)) {
    storeGate(*launch.slot, ControlSlot::kGatesOpen);
    return false;
  }
  ++launch.pauses;
  launch.paused = true;
  on.trials.spoil();
  trace_.paused(launch.sequence);
  return true;
}

bool Runtime::resume(PerDevice& on, Pausable& launch) {
  if (!launch.paused)
    return false;
  if (!writeBudget(on.device, *launch.slot, launch.budget)) {
    GPUSCHED_LOG_ONCE(LogLevel::Error, "cannot write the budget of a paused launch; it stays "
                                       "stopped until it is resumed again");
    return false;
  }
  storeGate(*launch.slot, ControlSlot::kGatesOpen);
  launch.paused = false;
  return true;
}

void Runtime::dropEndedPausables(PerDevice& on) {
  std::erase_if(on.pausable, [&](Pausable& launch) {
    bool over = on.device.completions.finished(on.device.runtime(), launch.completion) ||
                launch.completion->broken; // its context is gone
    if (over)
      on.device.completions.release(launch.completion);
    return over;
  });
}

size_t Runtime::pauseAll() {
  size_t paused = 0;
  forEachDevice([&](PerDevice& on) {
    if (on.pausable.empty())
      return; // relaxing the mode may make a context
    const RelaxedCapture relaxed(on.device.runtime());
    if (!relaxed)
      return;
    dropEndedPausables(on);
    for (Pausable& launch : on.pausable)
      paused += pause(on, launch);
  });
  return paused;
}

void Runtime::resumeAll() {
  forEachDevice([&](PerDevice& on) {
    if (on.pausable.empty())
      return;
    const RelaxedCapture relaxed(on.device.runtime()); // if not, they go on all the same
    dropEndedPausables(on);
    for (Pausable& launch : on.pausable)
      resume(on, launch);
  });
}

bool Runtime::ended(PerDevice& on, Completion* completion, uint64_t limitUs) {
  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::now() + std::chrono::microseconds(limitUs);
  while (!on.device.completions.finished(on.device.runtime(), completion)) {
    if (completion->broken || std::chrono::steady_clock::now() >= deadline)
      return completion->broken;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

void Runtime::stress(Flight& flight) {
  PerDevice& on = flight.on;
  const uint64_t total = cudart::count(flight.request.grid);
  const uint64_t forever = 3'600'000'000ull;
  uint64_t patience = settings_.pauseEveryUs, before = 0;
  while (true) {
    Completion* round = on.device.completions.record(*flight.request.cudart, flight.request.stream);
    if (!round)
      return;
    bool paused = !ended(on, round, patience) && writeBudget(on.device, *flight.slot, 0);
    ended(on, round, forever);
    on.device.completions.release(round);
    uint64_t next = total, claims = 0;
    if (on.device.copyNow(&claims, &flight.slot->control->next, sizeof claims,
                          cudart::kDeviceToHost))
      next = claimedBlocks(uint32_t(claims) - flight.slot->before.next, flight.slot->batches);
    if (!paused || next >= total)
      return;
    ++flight.pauses;
    // A busy device may start the launch later than that: then it would never get on.
    patience = next == before ? 2 * patience : settings_.pauseEveryUs;
    before = next;
    if (!writeBudget(on.device, *flight.slot, flight.options.workers.blocksPerSm) ||
        !relaunchPersistent(flight.request, flight.plan, *flight.slot, flight.options)) {
      log(LogLevel::Error, "cannot resume '%s' after block %llu of %llu; its result is incomplete",
          flight.plan.kernel->name, static_cast<unsigned long long>(next),
          static_cast<unsigned long long>(total));
      return;
    }
  }
}

} // namespace gpusched
