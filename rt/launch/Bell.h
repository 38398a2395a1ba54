// Bell.h - what a thread of ours sleeps on where there is no board to wake it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As a board's generation: who has seen `rung()` and finds nothing to do sleeps until it is
// another. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace gpusched {

class Bell {
public:
  uint32_t rung() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return times_;
  }
  void ring() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++times_;
    }
    bell_.notify_all();
  }
  /// Until it rings, at most so long; not at all if it has rung since `seen`.
  void sleep(uint32_t seen, std::chrono::microseconds most) {
    std::unique_lock<std::mutex> lock(mutex_);
    bell_.wait_for(lock, most, [&] { return times_ != seen; });
  }

private:
  std::mutex mutex_;
  std::condition_variable bell_;
  uint32_t times_ = 0;
};

} // namespace gpusched
