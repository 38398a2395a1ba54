// FindProgram.h - where a program of this machine is, without starting it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/support/ProgramName.h"

#include <string>
#include <vector>

namespace gpusched::tool {

/// `name` in PATH; "" when it is not there.
std::string findProgram(const std::string& name);

/// Where `words[0]` is and what it is called, as far as can be told before it is started: a script
/// of a shell may start anything.
struct StartedProgram : ProgramName {
  std::string executable; // links followed; "" when it is not there
};
StartedProgram startedProgram(const std::vector<std::string>& words);

/// GPUSCHED_NVCC, else in CUDA_HOME or CUDA_PATH, else in PATH; "" when there is none.
std::string findNvcc();

} // namespace gpusched::tool
