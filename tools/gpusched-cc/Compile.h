// Compile.h - the compile of a command that holds CUDA.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs in Guard's child. Its contract with the user: the exit code and the diagnostics are those
// of nvcc on the original command, and a command that nvcc accepts never fails because of us.
#pragma once

#include "tools/gpusched-cc/OwnOptions.h"
#include "tools/gpusched-cc/Plan.h"
#include "tools/gpusched-cc/Process.h"

namespace gpusched::cc {

struct CompileRequest {
  OwnOptions own;
  CommandLine line;
  Plan plan;
  Command original;   ///< nvcc and the user's arguments
  std::string folder; ///< private folder, exists
};

/// Exit code when --gpusched-strict meets a fall-back.
inline constexpr int kStrictExitCode = 3;

int compile(const CompileRequest& request);

} // namespace gpusched::cc
