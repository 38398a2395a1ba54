// Attendant.cpp - a thread of ours: what has to be done though the program launches nothing.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There is one where processes share the GPU, from the first launch on, and where a kernel has a
// smaller budget for others' sake, or may be paused, from then on. It
//   enqueues what stops paused launches, which may have to wait for room (Pausing.cpp): without a
//   lock; carries out what other processes ask (Sharing.cpp), and shows them what has ended here;
//   raises budgets once those are over for whose sake they fell. The launch that runs is raised by
//   the device itself at once, if it can be (Elastic.cpp); those behind it in a queue only a host
//   can raise, and a program that has enqueued hundreds of them may not come by for long.
//
// It looks every kLook while a kernel here has less than it may have, or runs in the company of
// another process, as nobody tells the host that a kernel has ended. Else it sleeps, until a launch
// or another process wakes it. It holds the device's lock as a launch does, and calls the driver,
// not a CUDA runtime of the program, which may be gone (DriverTable.h).
#include "rt/launch/Inside.h"
#include "rt/launch/RelaxedCapture.h"
#include "rt/launch/Runtime.h"
#include "rt/support/Log.h"

#include <algorithm>
#include <csignal>
#include <pthread.h>
#include <unistd.h>

namespace gpusched {
namespace {

constexpr std::chrono::microseconds kLook{200}, kForEver = std::chrono::hours(1);
/// For its last round.
constexpr std::chrono::milliseconds kFarewell{1000};
/// How long the seat of a process that died is believed, at most.
constexpr std::chrono::milliseconds kTrust{250};

/// The program's signal handlers do not run on a thread of ours.
std::thread withoutSignals(const std::function<void()>& run) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread made(run);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(made.native_handle(), "gpusched");
  return made;
}

} // namespace

void Runtime::startAttendant() {
  std::call_once(attendantOnce_,
                 [this] { attendant_ = withoutSignals([this] { attendToAll(); }); });
}

/// Does nothing while it is awake by itself.
void Runtime::wakeAttendant() {
  if (!resting_.exchange(false))
    return;
  ringForAttendant();
}

void Runtime::ringForAttendant() {
  board_ ? board_->wake() : bell_.ring();
}

/// Of the attendant.
void Runtime::attendToAll() {
  const Inside inside;
  Inside::beOwnThread();
  std::chrono::steady_clock::time_point trusted = {};
  while (!stopping_.load()) {
    const uint32_t seen = board_ ? board_->generation() : bell_.rung();
    const auto now = std::chrono::steady_clock::now();
    std::vector<SharedRequest> requests;
    bool inCompany = false, runs = false, mayRise = false;
    if (Session session = board_ ? board_->session() : std::nullopt) {
      if (now - trusted >= kTrust)
        session->clearDead(), trusted = now;
      requests = session->takeRequests();
      inCompany = session->anyOthers();
    }
    try {
      visitDevices(makeStops);
      forEachDevice([&](PerDevice& on) {
        attend(on, requests);
        runs |= on.foreign && !on.running.entries().empty();
        mayRise |= on.running.anyMayRise();
      });
    } catch (...) {
      GPUSCHED_LOG_ONCE(LogLevel::Error, "the attendant failed inside (most likely out of memory)");
    }
    const bool looks = (inCompany && runs) || mayRise;
    resting_.store(!looks); // a launch from here on changes the generation, or wakes us
    const std::chrono::microseconds most = looks ? kLook : inCompany ? kTrust : kForEver;
    board_ ? board_->sleep(seen, most) : bell_.sleep(seen, most);
  }
  forEachDevice([this](PerDevice& on) { // nobody would see their ends
    if (Session session = on.foreign ? board_->session() : std::nullopt)
      on.foreign->publish(*session, board_->seat(), {}, nullptr);
  });
  stopped_.store(true);
}

void Runtime::attend(PerDevice& on, const std::vector<SharedRequest>& requests) {
  if (on.running.entries().empty() && !(on.foreign && on.foreign->publishesAny()))
    return;
  if (!on.current.make())
    return;
  const RelaxedCapture relaxed(on.device.runtime()); // may want a context
  if (!relaxed || contexts_.existing(on.device.runtime()) != on.context)
    return; // the context has gone
  reap(on);
  for (const SharedRequest& request : requests)
    for (RunningEntry& entry : on.running.entries()) {
      if (entry.seen.firstSequence != request.sequence || !entry.slot)
        continue;
      Decision decision;
      decision.blocksPerSm = request.blocksPerSm;
      decision.blocksPerSmAlone = request.blocksPerSmAlone;
      decision.blocksPerSmAfter = request.blocksPerSmAfter;
      decision.preempts = request.preempts != 0;
      setBudget(on, entry, decision);
    }
  if (Session session = on.foreign ? board_->session() : std::nullopt)
    on.foreign->read(*session, board_->generation());
  settleCompany(on);
  resumeYielding(on, nullptr);
  raiseLonely(on);
  if (Session session = on.foreign ? board_->session() : std::nullopt)
    on.foreign->publish(*session, board_->seat(), on.running.entries(), nullptr);
}

/// Also of a fork's child, which has no such thread, and of a signal handler that ends the program
/// in the middle of a launch: that has the lock which the attendant waits for.
void Runtime::stopAttendant() {
  stopping_.store(true);
  if (!attendant_.joinable())
    return;
  if (getpid() != process_)
    return attendant_.detach();
  ringForAttendant();
  for (std::chrono::milliseconds waited{0}; !stopped_.load() && waited < kFarewell; ++waited)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  stopped_.load() ? attendant_.join() : attendant_.detach();
}

} // namespace gpusched
