// HangMonitor.h - finds kernels that can never end, and says who waits where.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: tell a kernel that spins for ever from one that takes long, without false alarms and
// at no cost while blocks start and end.
// How: a worker whose blocks have neither started nor ended for a while looks closer: it runs
// its rounds in a loop that notices every change of memory, and hashes the registers and places
// of all its warps after each. If a state comes again and memory did not change in between, the
// engine will repeat itself for ever unless someone else interferes. When all workers are in that
// state or have nothing to do, and stay so for the patience (the host may still write), the
// running launches fail.
// Not found: loops that count, read clocks, or write memory while they wait. A worker that looks
// closer in vain goes back to full speed, each time for twice as long.
// Threads: HangWatch belongs to one worker; HangMonitor is shared and locked.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace gpusched::cpu {

class HangMonitor {
public:
  using Clock = std::chrono::steady_clock;
  HangMonitor(unsigned workers, double patienceSeconds)
      : states_(workers), patience_(std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(patienceSeconds))) {}

  bool enabled() const { return patience_.count() > 0; }
  Clock::duration patience() const { return patience_; }
  /// The worker has nothing to do, or has found something again.
  void idles(unsigned worker, bool nothing);
  /// The worker repeats itself; `who` says what its warps wait for. Not empty: all do, for the
  /// whole patience; what they wait for.
  std::string repeats(unsigned worker, const std::string& who);
  void progresses(unsigned worker);

private:
  enum class State : uint8_t { Runs, Idle, Repeats };
  struct WorkerState {
    State state = State::Idle;
    std::string who;
  };
  std::mutex mutex_;
  std::vector<WorkerState> states_;
  Clock::duration patience_;
  bool allRepeat_ = false;
  Clock::time_point since_;
};

/// One worker's view: when to look closer, and whether what it sees repeats.
class HangWatch {
public:
  HangWatch(HangMonitor& monitor, unsigned worker) : monitor_(monitor), worker_(worker) {}

  bool observing() const { return observing_; }
  void beginRound() { ended_ = changed_ = false, hash_ = 0; }
  /// A block has started or ended.
  void blockChanged() { ended_ = true; }
  void observed(bool changedMemory, uint64_t blockHash) {
    changed_ |= changedMemory;
    hash_ += blockHash;
  }
  /// True if the state of the worker's warps is one it had before.
  bool endRound();

private:
  void stopObserving();

  HangMonitor& monitor_;
  unsigned worker_;
  bool observing_ = false, ended_ = false, changed_ = false;
  uint64_t hash_ = 0, reference_ = 0;
  uint64_t rounds_ = 0, nextReference_ = 1, period_ = 0, sinceMatch_ = 0;
  uint64_t rest_ = 1; // multiples of the patience to run at full speed
  HangMonitor::Clock::time_point quietSince_ = HangMonitor::Clock::now();
};

} // namespace gpusched::cpu
