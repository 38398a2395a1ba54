// ChildProcess.h - programs that gpusched starts and waits for, and files to talk with them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gpusched::tool {

/// A fresh temporary folder; it and what is in it go away with the object.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  bool ok() const { return !folder_.empty(); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

private:
  std::filesystem::path folder_;
};

/// Becomes the program words[0] (exec); returns only if that failed, with the exit code for it.
int become(std::vector<std::string>& words);

/// Runs `words` and waits: the exit code, or 128 + the signal that ended it. Its standard output
/// goes to `output` unless that is empty. Interrupts from the terminal are the program's.
int runAndWait(std::vector<std::string> words, const std::string& output = "");

} // namespace gpusched::tool
