// PlainCompile.cpp - starts nvcc on the original as soon as that is needed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cc/PlainCompile.h"

namespace gpusched::cc {
namespace {

constexpr const char* kFrontEndsOnly = "-fdevice-syntax-only";

ProcessResult runFrontEnds(Command command) {
  command.push_back(kFrontEndsOnly);
  return runCollected(command);
}

/// With an error the original is compiled anyway, and for its code.
bool tellsOfError(const std::string& text) {
  return text.find(" error:") != std::string::npos || text.find(" error #") != std::string::npos;
}

} // namespace

ErrorsWatcher PlainCompile::watcher(DiagnosticNames names) {
  return [this, names = std::move(names), seen = size_t(0),
          failed = false](const std::string& errors) mutable {
    const size_t end = errors.rfind('\n') + 1; // 0 without one
    if (frontEnds_.valid() || failed || end <= seen)
      return;
    const std::string lines = errors.substr(seen, end - seen);
    seen = end;
    failed = tellsOfError(lines);
    // ptxas always reports on twins; userDiagnostics takes that out of whole texts only.
    if (!failed && isOfFrontEnds(lines) && showsOurs(userDiagnostics(lines, names), names))
      frontEnds_ = std::async(std::launch::async, runFrontEnds, command_);
  };
}

ProcessResult PlainCompile::result(const std::string& mapped) {
  if (!isOfFrontEnds(mapped))
    return runCollected(command_);
  ProcessResult result = frontEnds_.valid() ? frontEnds_.get() : runFrontEnds(command_);
  // An nvcc that does not know the option is asked for all.
  return result.ok() ? result : runCollected(command_);
}

} // namespace gpusched::cc
