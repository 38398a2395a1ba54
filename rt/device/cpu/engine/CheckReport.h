// CheckReport.h - what the checkers found: printed when met first, listed at the end.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A finding has a canonical line, which says what and where but nothing that depends on the
// schedule, the variant of the kernel or the addresses: two runs are compared by their sorted
// sets of lines. The first occurrence is printed with its details; later ones are counted.
// Thread-safe.
#pragma once

#include "rt/support/Result.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace gpusched::cpu {

class CheckReport {
public:
  /// `details` is called for the first of its kind only.
  template <class Details> void add(const std::string& canonical, Details details) {
    std::lock_guard lock(mutex_);
    if (findings_[canonical]++ == 0)
      print(canonical, details());
  }
  bool empty() const;
  /// The canonical lines in order, one a line.
  std::string lines() const;
  /// "3 findings (120 occurrences)"
  std::string summary() const;

private:
  static void print(const std::string& canonical, const std::string& details);

  mutable std::mutex mutex_;
  std::map<std::string, uint64_t> findings_;
};

} // namespace gpusched::cpu
