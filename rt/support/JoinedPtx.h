// JoinedPtx.h - several PTX modules that are to be linked, as one image.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a program links PTX while it runs, it gets an image that it loads next. The cpu device
// links when it loads: its image is the modules' texts in a row. No driver takes that, and who
// reads it as one module takes what each has for itself for everybody's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpusched {

inline constexpr std::string_view kNextPtxModule = "\n// gpusched: the next module\n";

/// None of them "" and each up to its zero.
inline std::string joinPtx(const std::vector<std::string>& modules) {
  std::string all;
  for (const std::string& module : modules)
    all.append(all.empty() ? "" : kNextPtxModule).append(module);
  return all;
}

inline bool isJoinedPtx(std::string_view image) {
  return image.find(kNextPtxModule) != std::string_view::npos;
}

/// The texts of an image that joinPtx has made, or of any other text.
inline std::vector<std::string> splitPtx(std::string_view image) {
  std::vector<std::string> modules;
  for (;;) {
    const size_t end = image.find(kNextPtxModule);
    modules.emplace_back(image.substr(0, end));
    if (end == std::string_view::npos)
      return modules;
    image.remove_prefix(end + kNextPtxModule.size());
  }
}

} // namespace gpusched
