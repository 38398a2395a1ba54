// OtherThread.h - a launch, or something like it, by another thread.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/rt/FakeProgram.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

class OtherThread {
public:
  explicit OtherThread(const std::function<void()>& act)
      : thread_([act, this] {
          act();
          isOver_ = true;
        }) {}
  OtherThread(gpusched::Runtime& runtime, ProgramKernel& kernel, void* stream)
      : OtherThread([&runtime, &kernel, stream] { launch(runtime, kernel, stream); }) {}
  ~OtherThread() { thread_.join(); }
  /// After a moment in which it would have come through.
  bool waits() const {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return !isOver_;
  }

private:
  std::atomic<bool> isOver_{false};
  std::thread thread_;
};
