// ChildProcess.h - programs that gpusched starts and waits for, and what they load of ours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/support/Result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace gpusched::tool {

/// Becomes the program words[0] (exec); returns only if that failed, with the exit code for it.
int become(std::vector<std::string>& words);

/// Runs `words` and waits: the exit code, or 128 + the signal that ended it. Its standard output
/// goes to `output` unless that is empty. Interrupts from the terminal are the program's.
int runAndWait(std::vector<std::string> words, const std::string& output = "");

/// "lib/libgpusched_rt.so" where we are installed: beside the folder of this binary. It need not
/// exist.
std::filesystem::path ownFile(const std::string& place);

/// Programs started from now on load that library of ours in front of all others.
Status preload(const std::string& library);

/// Programs started from now on look for libraries in that folder of ours ("lib/driver") first.
void searchFirst(const std::string& folder);

} // namespace gpusched::tool
