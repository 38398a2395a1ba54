// WorkQueue.h - one thread that runs closures in the order they were posted.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread starts with the first post() and sleeps when there is nothing to do. It is
// detached and the object is never destroyed (see Runtime.h): a program may call exit() while a
// closure still runs, and joining would then hang the exit.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace gpusched::cudart {

class WorkQueue {
public:
  /// Never blocks on running closures; may be called from any thread.
  void post(std::function<void()> work);

private:
  void loop();

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::function<void()>> work_;
  bool started_ = false;
};

} // namespace gpusched::cudart
