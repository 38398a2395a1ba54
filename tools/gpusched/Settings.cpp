// Settings.cpp - "kscheduler.base_epc=2" to the policy that it names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched/Settings.h"

namespace gpusched::tool {

Status applySettings(Configurable& policy, const std::string& name,
                     const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const size_t dot = setting.find('.');
    if (dot == std::string::npos || setting.find('=') == std::string::npos)
      return Status::error("--set=" + setting + ": expected POLICY.PARAMETER=NUMBER");
    if (setting.substr(0, dot) != name)
      continue;
    if (Status set = policy.configure(setting.substr(dot + 1)); !set)
      return Status::error("--set=" + setting + ": " + set.message());
  }
  return {};
}

} // namespace gpusched::tool
