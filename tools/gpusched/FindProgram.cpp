// FindProgram.cpp - PATH and the CUDA variables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched/FindProgram.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace gpusched::tool {
namespace {

namespace fs = std::filesystem;

bool isProgram(const fs::path& path) {
  return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path);
}

} // namespace

std::string findProgram(const std::string& name) {
  std::string folders = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (size_t start = 0; start <= folders.size();) {
    size_t end = std::min(folders.find(':', start), folders.size());
    fs::path candidate = fs::path(folders.substr(start, end - start)) / name;
    if (isProgram(candidate))
      return candidate.string();
    start = end + 1;
  }
  return "";
}

StartedProgram startedProgram(const std::vector<std::string>& words) {
  const bool isPath = words[0].find('/') != std::string::npos;
  std::error_code error;
  const fs::path executable = fs::canonical(isPath ? words[0] : findProgram(words[0]), error);
  return {programName(error ? fs::path(words[0]) : executable, words), executable.string()};
}

std::string findNvcc() {
  const char* own = std::getenv("GPUSCHED_NVCC");
  if (own && *own)
    return isProgram(own) ? own : "";
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable); root && isProgram(fs::path(root) / "bin/nvcc"))
      return (fs::path(root) / "bin/nvcc").string();
  return findProgram("nvcc");
}

} // namespace gpusched::tool
