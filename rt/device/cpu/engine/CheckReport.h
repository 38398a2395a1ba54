// CheckReport.h - what the checkers found: printed when met first, listed at the end.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A finding has a canonical line, which says what and where but nothing that depends on the
// schedule, the variant of the kernel or the addresses: two runs are compared by their sorted
// sets of lines. The first occurrence is printed with its details; later ones are counted.
// A loop that is wrong once is wrong a million times, so an occurrence has a key too: its line,
// which names a source line and a demangled kernel, is made for the first of a key only.
// Thread-safe.
#pragma once

#include "rt/support/Result.h"

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace gpusched::cpu {

/// What an occurrence is known by: equal keys have equal lines. The texts are literals.
struct FindingKey {
  uint64_t function = 0; // its serial: addresses are used again
  const char *what = nullptr, *access = nullptr, *earlier = nullptr;
  uint32_t op = 0;     // index into LoadedModule::code
  uint64_t detail = 0; // the earlier access's op, or bytes
  auto operator<=>(const FindingKey&) const = default;
};

class CheckReport {
public:
  /// `line()` is the canonical line; `details()` is called for the first of its kind only.
  template <class Line, class Details> void add(const FindingKey& key, Line line, Details details) {
    std::lock_guard lock(mutex_);
    Finding*& finding = known_[key];
    if (!finding)
      finding = &*findings_.try_emplace(line()).first;
    if (finding->second++ == 0)
      print(finding->first, details());
  }
  bool empty() const;
  /// The canonical lines in order, one a line.
  std::string lines() const;
  /// "3 findings (120 occurrences)"
  std::string summary() const;

private:
  using Finding = std::pair<const std::string, uint64_t>; // a line and how often it was found

  static void print(const std::string& canonical, const std::string& details);

  mutable std::mutex mutex_;
  std::map<std::string, uint64_t> findings_;
  std::map<FindingKey, Finding*> known_;
};

} // namespace gpusched::cpu
