// Sharing.cpp - several processes on one GPU: each decides with the kernels of all in view.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   launch       lock the board, read it if it changed, let the policy decide, write what runs
//                here, ask other owners for the budgets that they shall have, unlock
//   attendant    a thread: carries out what others asked, and sees that kernels here end
//
// The lock makes one decision after the other, as the device's lock does within a process. What
// stays in the process: waits, since our events say nothing elsewhere (a launch that should wait
// for a kernel of another process begins beside it, as under MPS alone), pauses, and what pairs
// have measured, which is not measured in company. Raises for the end of a neighbour are not given
// to the device in company either: the attendant makes them once it has gone.
//
// Kernels that step back for a higher priority (rt/policy/Priorities.h) have their budgets again
// when none has been there for a moment (Elastic.cpp).
//
// The attendant sleeps while there is nobody else. In company it looks every kLook whether kernels
// here have ended, as others have no event to ask, or rests where none run, until a launch or
// another process wakes it. It holds the device's lock as a launch does.
#include "rt/launch/Runtime.h"

#include "rt/launch/Inside.h"
#include "rt/support/Log.h"

#include <algorithm>
#include <csignal>
#include <pthread.h>

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

void Runtime::joinBoard() {
  if (settings_.shareFolder.empty())
    return;
  if (!policy_)
    return log(LogLevel::Warning, "GPUSCHED_SHARE is set, but no policy is; nothing is shared");
  Result<std::unique_ptr<Board>> board = Board::join(settings_.shareFolder);
  if (board)
    board_ = std::move(*board);
  else
    log(LogLevel::Warning, "%s", board.message().c_str());
}

Runtime::Session Runtime::beginSharing(Flight& flight) {
  PerDevice& on = flight.on;
  if (!on.foreign)
    return std::nullopt;
  std::call_once(attendantOnce_,
                 [this] { attendant_ = withoutSignals([this] { attendToOthers(); }); });
  Session session = board_->session();
  if (!session)
    return session;
  on.foreign->read(*session, board_->generation());
  on.foreign->addTo(on.state.running);
  return session;
}

void Runtime::endSharing(Flight& flight, Session session, const std::vector<Decision>& decisions) {
  PerDevice& on = flight.on;
  for (const Decision& decision : decisions)
    on.foreign->ask(*session, decision);
  Decision& own = flight.wish.decision;
  if (on.foreign->dropWaits(own.after))
    addReason(on.state, own, "does not wait for other processes");
  const uint32_t budget = flight.plan.budget ? flight.plan.budget : own.blocksPerSm;
  const RunningKernel arriving = asRunning(flight, flight.plan.hasPersistent() ? budget : 0);
  on.foreign->publish(*session, board_->seat(), on.running.entries(), &arriving);
  const bool inCompany = session->anyOthers();
  session.reset();
  if (inCompany && resting_.exchange(false))
    board_->wake();
  settleCompany(on); // the attendant may look when it has gone again
}

/// Kernels of other processes may have come, or the last of them gone. Calls CUDA: no place for
/// somebody who has the board's lock.
void Runtime::settleCompany(PerDevice& on) {
  if (on.inCompany == hasCompany(on))
    return;
  on.inCompany = hasCompany(on);
  on.trials.spoil();
  for (RunningEntry& entry : on.running.entries()) {
    if (hasCompany(on)) {
      dropReliefs(on, entry);
      continue;
    }
    if (!entry.slot || entry.alone <= entry.seen.blocksPerSm)
      continue;
    const std::vector<RunningEntry>& all = on.running.entries();
    const bool isAlone = std::none_of(all.begin(), all.end(), [&](const RunningEntry& other) {
      return neighbours(entry, other);
    });
    Decision raise;
    raise.blocksPerSm = entry.alone;
    if (isAlone)
      setBudget(on, entry, raise); // where it yields, that is for later
    else if (on.running.isFirstOrLast(entry))
      relieve(on, entry);
  }
}

/// Of the attendant.
void Runtime::attendToOthers() {
  const Inside inside;
  std::chrono::steady_clock::time_point trusted = {};
  while (!stopping_.load()) {
    const uint32_t seen = board_->generation();
    const auto now = std::chrono::steady_clock::now();
    std::vector<SharedRequest> requests;
    bool inCompany = false, runs = false, yields = false;
    if (Session session = board_->session()) {
      if (now - trusted >= kTrust)
        session->clearDead(), trusted = now;
      requests = session->takeRequests();
      inCompany = session->anyOthers();
    }
    try {
      forEachDevice([&](PerDevice& on) {
        attend(on, requests);
        for (const RunningEntry& entry : on.running.entries())
          runs = true, yields |= entry.seen.yields;
      });
    } catch (...) {
      GPUSCHED_LOG_ONCE(LogLevel::Error, "sharing failed inside (most likely out of memory)");
    }
    const bool looks = (inCompany && runs) || yields;
    resting_.store(!looks); // a launch from here on changes the generation, or wakes us
    board_->sleep(seen, looks ? kLook : inCompany ? kTrust : kForEver);
  }
  forEachDevice([this](PerDevice& on) { // nobody would see their ends
    if (Session session = on.foreign ? board_->session() : std::nullopt)
      on.foreign->publish(*session, board_->seat(), {}, nullptr);
  });
  stopped_.store(true);
}

void Runtime::attend(PerDevice& on, const std::vector<SharedRequest>& requests) {
  if (!on.foreign || (on.running.entries().empty() && !on.foreign->publishesAny()))
    return;
  if (!on.foreign->makeCurrent() || contexts_.existing(on.device.runtime()) != on.context)
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
  if (Session session = board_->session())
    on.foreign->read(*session, board_->generation());
  settleCompany(on);
  resumeYielding(on, nullptr);
  if (Session session = board_->session())
    on.foreign->publish(*session, board_->seat(), on.running.entries(), nullptr);
}

/// Also of a fork's child, which has no such thread, and of a signal handler that ends the program
/// in the middle of a launch: that has the lock which the attendant waits for.
void Runtime::stopSharing() {
  if (!board_)
    return;
  stopping_.store(true);
  if (!attendant_.joinable())
    return;
  if (!board_->isOurs())
    return attendant_.detach();
  board_->wake();
  for (std::chrono::milliseconds waited{0}; !stopped_.load() && waited < kFarewell; ++waited)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  stopped_.load() ? attendant_.join() : attendant_.detach();
}

} // namespace gpusched
