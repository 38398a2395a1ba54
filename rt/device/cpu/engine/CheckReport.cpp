// CheckReport.cpp - collecting and printing findings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/CheckReport.h"

#include <cstdio>

namespace gpusched::cpu {

void CheckReport::print(const std::string& canonical, const std::string& details) {
  const std::string text = "gpusched: check: " + canonical + "\n" + details;
  std::fwrite(text.data(), 1, text.size(), stderr);
}

bool CheckReport::empty() const {
  std::lock_guard lock(mutex_);
  return findings_.empty();
}

std::string CheckReport::lines() const {
  std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [canonical, count] : findings_)
    text += canonical + "\n";
  return text;
}

std::string CheckReport::summary() const {
  std::lock_guard lock(mutex_);
  uint64_t occurrences = 0;
  for (const auto& [canonical, count] : findings_)
    occurrences += count;
  return std::to_string(findings_.size()) + (findings_.size() == 1 ? " finding (" : " findings (") +
         std::to_string(occurrences) + (occurrences == 1 ? " occurrence)" : " occurrences)");
}

} // namespace gpusched::cpu
