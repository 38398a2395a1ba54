// ProgramName.h - the name that a program's profiles, pairs and measurements are kept under.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that is executed, links followed; of Python, which executes all its programs, the script
// or module. `gpusched profile` and the runtime in the program ask here, so that one finds what the
// other wrote. Thread-safe; no state.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gpusched {

struct ProgramName {
  std::string name;   // "app", "train.py", "package.train"; never empty, no '/'
  std::string script; // path as it was given; "" where none is executed
};

/// `command`: as the program was started, its own name first.
///
///   /usr/bin/app-2, {"app", ...}                      app-2
///   /usr/bin/python3.11, {"python", "-u", "a/b.py"}   b.py
///   /usr/bin/python3.11, {"python", "-m", "a.b"}      a.b
///   /usr/bin/python3.11, {"python", "-c", "..."}      python3.11
ProgramName programName(const std::filesystem::path& executable,
                        const std::vector<std::string>& command);

/// Of this process; "program" where /proc cannot be read.
std::string runningProgram();

} // namespace gpusched
