// ChildProcess.h - programs that gpusched starts and waits for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace gpusched::tool {

/// Becomes the program words[0] (exec); returns only if that failed, with the exit code for it.
int become(std::vector<std::string>& words);

/// Runs `words` and waits: the exit code, or 128 + the signal that ended it. Its standard output
/// goes to `output` unless that is empty. Interrupts from the terminal are the program's.
int runAndWait(std::vector<std::string> words, const std::string& output = "");

} // namespace gpusched::tool
