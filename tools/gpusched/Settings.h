// Settings.h - parameters of policies from a command line: --set=POLICY.PARAMETER=NUMBER.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/support/Parameters.h"

namespace gpusched::tool {

/// Those of `settings` that are for the policy called `name`. Error: one that is not of that form,
/// whoever it is for, or what the policy says.
Status applySettings(Configurable& policy, const std::string& name,
                     const std::vector<std::string>& settings);

} // namespace gpusched::tool
