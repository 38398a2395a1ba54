// Inside.h - this thread runs the runtime's own code.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime itself launches may come back to it, through a driver that offers launches
// (rt/modules): the caller makes it natively.
#pragma once

namespace gpusched {

class Inside {
public:
  Inside() { entered_ = true; }
  ~Inside() { entered_ = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  static bool entered() { return entered_; }
  /// The thread is ours, from now on.
  static void beOwnThread() { ownThread_ = true; }
  static bool isOwnThread() { return ownThread_; }

private:
  static inline thread_local bool entered_ = false, ownThread_ = false;
};

} // namespace gpusched
