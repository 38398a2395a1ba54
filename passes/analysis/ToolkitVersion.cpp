// ToolkitVersion.cpp - which CUDA a toolkit is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/ToolkitVersion.h"

#include <cstdlib>
#include <fstream>
#include <string_view>

namespace gpusched::passes {

ToolkitVersion toolkitVersion(const std::string& root) {
  constexpr std::string_view kDefine = "#define CUDA_VERSION ";
  std::ifstream header(root + "/include/cuda.h");
  for (std::string line; std::getline(header, line);)
    if (line.starts_with(kDefine)) {
      const auto version = unsigned(std::strtoul(line.c_str() + kDefine.size(), nullptr, 10));
      return {version / 1000, version % 1000 / 10}; // 12040 is 12.4
    }
  return {};
}

} // namespace gpusched::passes
