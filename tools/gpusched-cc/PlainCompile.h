// PlainCompile.h - what nvcc says of the original, where what it says of the copy shows ours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   nvcc on the copy:       cudafe++ | warning | cicc | ptxas | host compiler
//   nvcc on the original:              `-> cudafe++ | warning | host compiler
//
// Warnings of the front ends come early in a compile, so the second one starts beside the rest of
// the first. Code for the device is made only where its optimiser or assembler spoke as well.
//
// Threads: a watcher is called by the one that collects the copy's messages, one at a time;
// result() after that one has ended.
#pragma once

#include "tools/gpusched-cc/Diagnostics.h"
#include "tools/gpusched-cc/Process.h"

#include <future>
#include <string>

namespace gpusched::cc {

class PlainCompile {
public:
  /// `command`: nvcc on the original, output discarded.
  explicit PlainCompile(Command command) : command_(std::move(command)) {}

  /// For one compile of a copy, whose messages have these names; not to outlive this object. The
  /// original stays the same, so what it says is kept for a second copy.
  ErrorsWatcher watcher(DiagnosticNames names);

  /// The result of the original's compile; `mapped`: all that nvcc said of the copy, in the user's
  /// names.
  ProcessResult result(const std::string& mapped);

private:
  Command command_;
  std::future<ProcessResult> frontEnds_;
};

} // namespace gpusched::cc
