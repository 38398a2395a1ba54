// Sharing.cpp - several processes on one GPU: each decides with the kernels of all in view.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   launch       lock the board, read it if it changed, let the policy decide, write what runs
//                here, ask other owners for the budgets that they shall have, unlock
//   attendant    a thread: carries out what others asked, and sees that kernels here end
//                (Attendant.cpp)
//
// The lock makes one decision after the other, as the device's lock does within a process. What
// stays in the process: waits, since our events say nothing elsewhere (a launch that should wait
// for a kernel of another process begins beside it, as under MPS alone), pauses, and what pairs
// have measured, which is not measured in company. Raises for the end of a neighbour are not given
// to the device in company either: the attendant makes them once it has gone.
#include "rt/launch/Runtime.h"

#include "rt/support/Log.h"

namespace gpusched {

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
  startAttendant();
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
  if (inCompany)
    wakeAttendant();
  settleCompany(on);
}

/// Kernels of other processes may have come, or the last of them gone; then the attendant raises
/// what is alone.
void Runtime::settleCompany(PerDevice& on) {
  if (on.inCompany == hasCompany(on))
    return;
  on.inCompany = hasCompany(on);
  on.trials.spoil();
  if (hasCompany(on))
    for (const RunningEntry& entry : on.running.entries())
      dropReliefs(on, entry);
}

} // namespace gpusched
