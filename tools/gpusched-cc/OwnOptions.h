// OwnOptions.h - the --gpusched-... options and their environment variables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All share one reserved prefix, so nothing that nvcc has or will have is taken from it.
#pragma once

#include "rt/support/Result.h"

#include <string>
#include <vector>

namespace gpusched::cc {

struct OwnOptions {
  using Switch = bool;
  using Text = std::string;
#define GPUSCHED_OPTION(field, kind, name, variable, value, help) kind field{};
#include "tools/gpusched-cc/OwnOptions.def"
};

/// Takes our options out of `arguments` and fills in the rest from the environment. An error names
/// the option that does not exist or that lacks its value.
Result<OwnOptions> takeOwnOptions(std::vector<std::string>& arguments);

/// The text of --gpusched-help.
std::string ownHelp();

} // namespace gpusched::cc
