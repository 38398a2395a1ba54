// Guard.h - runs a compile so that neither a crash nor a signal can do harm.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   parent: owns the private folder, waits          child: its own process group, compiles
//     SIGINT, SIGTERM, SIGHUP -> ends the group,      Clang, nvcc and what nvcc starts
//       removes the folder, ends by the same signal
//     the child crashes      -> Crashed: the caller runs nvcc on the original
//
// Clang runs in the child: a crash of its parser, or the kernel ending it for memory, costs the
// transform and nothing else. The parent is single-threaded and does no work of its own.
#pragma once

#include "rt/support/TemporaryFolder.h"

#include <functional>

namespace gpusched::cc {

struct GuardResult {
  bool crashed = false;
  int value = 0; ///< exit code of `work`, or the signal that ended it
};

/// Forks and runs `work` in the child. REQUIRES: this process has one thread.
GuardResult runGuarded(TemporaryFolder& folder, const std::function<int()>& work);

} // namespace gpusched::cc
