// ValueWatcher.cpp - one thread that polls conditions on memory for stream waits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/ValueWatcher.h"

#include <chrono>
#include <thread>

namespace gpusched::cudart {

static constexpr std::chrono::microseconds kPollInterval{20};

void ValueWatcher::watch(std::function<bool()> satisfied, std::function<void()> finished) {
  std::lock_guard<std::mutex> lock(mutex_);
  watched_.push_back({std::move(satisfied), std::move(finished)});
  if (!polling_)
    thread_.post([this] { poll(); });
  polling_ = true;
}

void ValueWatcher::poll() {
  bool more = true;
  while (more) {
    std::vector<Watched> done;
    more = takeSatisfied(done);
    for (const Watched& one : done)
      one.finished();
    if (done.empty())
      std::this_thread::sleep_for(kPollInterval);
  }
}

/// Moves what is satisfied to `done`; false, and no longer polling, when nothing is left.
bool ValueWatcher::takeSatisfied(std::vector<Watched>& done) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (size_t i = 0; i < watched_.size();) {
    if (watched_[i].satisfied()) {
      done.push_back(std::move(watched_[i]));
      watched_.erase(watched_.begin() + ptrdiff_t(i));
    } else {
      ++i;
    }
  }
  polling_ = !watched_.empty();
  return polling_;
}

} // namespace gpusched::cudart
