// ProgramPath.cpp - asks the file system and the variable.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cc/ProgramPath.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace gpusched::cc {
namespace fs = std::filesystem;

bool isThisProgram(const std::string& path) {
  std::error_code error;
  return fs::equivalent(path, "/proc/self/exe", error);
}

bool isExecutable(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::string findOtherInPath(const std::string& name) {
  const char* const variable = std::getenv("PATH");
  std::istringstream folders(variable ? variable : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::string path = folder + "/" + name; isExecutable(path) && !isThisProgram(path))
      return path;
  return "";
}

} // namespace gpusched::cc
