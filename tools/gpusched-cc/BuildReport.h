// BuildReport.h - sums up the static profiles of a build.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line of `gpusched-cc --gpusched-report` without inputs answers what a user asks after a
// `make`: how many kernels have a persistent variant, why the others have not, what it costs.
#pragma once

#include "rt/schema/Profile.h"
#include "rt/support/Result.h"

#include <string>
#include <vector>

namespace gpusched::cc {

/// The text for these profiles: counts of kernels (template instantiations each count), refusals
/// by code, register growth (persistent minus native, per target) and resident blocks lost.
std::string reportText(const std::vector<ProfileFile>& profiles);

/// Reads all *.json of `folder` and prints the report on stdout. An error names the folder when it
/// holds no profile; a file that cannot be read is one log line.
Status reportBuild(const std::string& folder);

} // namespace gpusched::cc
