// SeenTexts.h - which parts of the user's files one pass of the compiler reads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By path, so that passes can be compared, whose file numbers differ. A file that is included more
// than once counts as read where any of its inclusions is. No Clang type.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace gpusched::passes {

/// From the # of the directive that left it out to the end of the one that ended it.
struct SkippedRegion {
  unsigned begin = 0, end = 0; ///< offsets in the file
};

class SeenTexts {
public:
  void add(const std::string& path, std::vector<SkippedRegion> skipped) {
    inclusions_[path].push_back(std::move(skipped));
  }

  bool has(const std::string& path, std::size_t offset) const {
    const auto found = inclusions_.find(path);
    const auto reads = [&](const std::vector<SkippedRegion>& skipped) {
      return std::none_of(skipped.begin(), skipped.end(), [&](const SkippedRegion& region) {
        return region.begin <= offset && offset < region.end;
      });
    };
    return found != inclusions_.end() &&
           std::any_of(found->second.begin(), found->second.end(), reads);
  }

private:
  std::map<std::string, std::vector<std::vector<SkippedRegion>>> inclusions_;
};

} // namespace gpusched::passes
