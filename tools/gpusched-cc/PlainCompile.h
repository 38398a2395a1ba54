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
// Threads: watch() is called by the one that collects the copy's messages, errors() after that one
// has ended.
#pragma once

#include "tools/gpusched-cc/Diagnostics.h"
#include "tools/gpusched-cc/Process.h"

#include <future>
#include <string>

namespace gpusched::cc {

class PlainCompile {
public:
  /// `command`: nvcc on the original, output discarded. `names`: of the copy's messages.
  PlainCompile(Command command, DiagnosticNames names)
      : command_(std::move(command)), names_(std::move(names)) {}

  /// `errors`: all that nvcc has said of the copy so far.
  void watch(const std::string& errors);

  /// The result of the original's compile; `mapped`: all that nvcc said of the copy, in the user's
  /// names.
  ProcessResult result(const std::string& mapped);

private:
  Command command_;
  DiagnosticNames names_;
  size_t seen_ = 0; ///< of the copy's messages, whole lines
  std::future<ProcessResult> frontEnds_;
};

} // namespace gpusched::cc
