// PassPlanner.cpp - first fit.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/counters/cupti/PassPlanner.h"

namespace gpusched {
namespace {

bool onePass(const ProfilerHost& host, const std::vector<std::string>& counters) {
  Result<std::vector<uint8_t>> image = host.configure(counters);
  Result<size_t> passes = image ? host.passes(*image) : image.status();
  return passes && *passes == 1;
}

} // namespace

PassPlan planPasses(const ProfilerHost& host, const std::vector<std::string>& counters) {
  PassPlan plan;
  if (!counters.empty() && onePass(host, counters)) {
    plan.sets.push_back(counters);
    return plan;
  }
  for (const std::string& counter : counters) {
    bool placed = false;
    for (std::vector<std::string>& set : plan.sets) {
      set.push_back(counter);
      placed = onePass(host, set);
      if (placed)
        break;
      set.pop_back();
    }
    if (placed)
      continue;
    if (onePass(host, {counter}))
      plan.sets.push_back({counter});
    else
      plan.leftOut.push_back(counter);
  }
  return plan;
}

} // namespace gpusched
