// Process.h - starts programs: in our place, or as children whose output is collected.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Children stay in the caller's process group, which Guard ends as a whole.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gpusched::cc {

using Command = std::vector<std::string>;

struct ProcessResult {
  int exitCode = 0; ///< 128 + signal when a signal ended it
  std::string output, errors;
  bool ok() const { return exitCode == 0; }
};

/// Replaces this program; returns the exit code 127 only when that fails, after one line.
int replaceWith(const Command& command);

/// Runs with our own stdin, stdout and stderr.
int runAttached(const Command& command);

/// Called with all of stderr so far whenever more has come, on the thread that collects it.
using ErrorsWatcher = std::function<void(const std::string& errors)>;

/// Runs and collects stdout and stderr; stdin is /dev/null.
ProcessResult runCollected(const Command& command, const ErrorsWatcher& watch = {});

/// Runs all of them, at most `parallel` at a time; results in the order of the commands, of which
/// each is watched by the watcher of its place, if there is one.
std::vector<ProcessResult> runCollected(const std::vector<Command>& commands, unsigned parallel,
                                        const std::vector<ErrorsWatcher>& watchers = {});

/// As a shell would need it typed; for --gpusched-explain.
std::string quoted(const Command& command);

} // namespace gpusched::cc
