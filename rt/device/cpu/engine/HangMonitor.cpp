// HangMonitor.cpp - Brent's cycle search over a worker's rounds, and the vote of all workers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/HangMonitor.h"

#include <algorithm>

namespace gpusched::cpu {
namespace {

constexpr uint64_t kMostObservedRounds = 4096;
constexpr uint64_t kMostRest = 64;

} // namespace

void HangMonitor::idles(unsigned worker, bool nothing) {
  std::lock_guard lock(mutex_);
  states_[worker] = {nothing ? State::Idle : State::Runs, {}};
  if (!nothing)
    allRepeat_ = false;
}

void HangMonitor::progresses(unsigned worker) {
  std::lock_guard lock(mutex_);
  states_[worker] = {State::Runs, {}};
  allRepeat_ = false;
}

std::string HangMonitor::repeats(unsigned worker, const std::string& who) {
  std::lock_guard lock(mutex_);
  states_[worker] = {State::Repeats, who};
  const bool all = std::all_of(states_.begin(), states_.end(),
                               [](const WorkerState& other) { return other.state != State::Runs; });
  if (all && !allRepeat_)
    since_ = Clock::now();
  allRepeat_ = all;
  if (!all || Clock::now() - since_ < patience_)
    return {};
  std::string everybody;
  for (const WorkerState& state : states_)
    everybody += state.who;
  return everybody;
}

bool HangWatch::endRound() {
  if (!monitor_.enabled())
    return false;
  const HangMonitor::Clock::time_point now = HangMonitor::Clock::now();
  if (ended_)
    rest_ = 1;
  if (ended_ || changed_) {
    if (observing_)
      stopObserving();
    quietSince_ = now;
    return false;
  }
  if (!observing_) {
    if (now - quietSince_ < monitor_.patience() / 2 * int64_t(rest_))
      return false;
    observing_ = true;
    rounds_ = period_ = 0, nextReference_ = 1;
    return false;
  }
  ++rounds_;
  if (rounds_ > 1 && hash_ == reference_) {
    period_ = rounds_ - (nextReference_ >> 1);
    sinceMatch_ = 0;
  } else if (period_ && ++sinceMatch_ > period_) {
    period_ = 0;
    monitor_.progresses(worker_);
  }
  if (!period_ && rounds_ == nextReference_) {
    reference_ = hash_;
    nextReference_ *= 2;
  }
  if (!period_ && rounds_ > kMostObservedRounds) {
    stopObserving();
    quietSince_ = now;
  }
  return period_ != 0;
}

void HangWatch::stopObserving() {
  observing_ = false;
  rest_ = std::min(rest_ * 2, kMostRest);
  monitor_.progresses(worker_);
}

} // namespace gpusched::cpu
