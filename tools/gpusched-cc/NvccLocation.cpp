// NvccLocation.cpp - finds the real nvcc and its toolkit.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search reads the file system and variables only. Finding the toolkit of a script that stands
// for nvcc starts it once, for 30 ms.
#include "tools/gpusched-cc/NvccLocation.h"

#include "tools/gpusched-cc/Process.h"
#include "tools/gpusched-cc/ProgramPath.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace gpusched::cc {
namespace fs = std::filesystem;
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool isUsable(const std::string& path) {
  return isExecutable(path) && !isThisProgram(path);
}

/// `nvcc` is a script in front of the real one: that one says "#$ TOP=/usr/local/cuda/bin/..".
fs::path askForToolkit(const std::string& nvcc) {
  std::istringstream lines(runCollected({nvcc, "--dryrun", "-c", "any.cu"}).errors);
  constexpr std::string_view kTop = "#$ TOP=";
  for (std::string line; std::getline(lines, line);)
    if (line.compare(0, kTop.size(), kTop) == 0)
      return fs::path(line.substr(kTop.size())).lexically_normal();
  return {};
}

} // namespace

bool looksLikeNvcc(const std::string& path) {
  return fs::path(path).filename().string().find("nvcc") != std::string::npos && isExecutable(path);
}

Result<std::string> findNvcc(const std::string& chosen) {
  if (!chosen.empty()) {
    if (isUsable(chosen))
      return chosen;
    return Status::error("'" + chosen +
                         "' is not an nvcc that can be run; correct --gpusched-nvcc "
                         "or GPUSCHED_NVCC");
  }
  if (std::string home = variable("CUDA_HOME"); isUsable(home + "/bin/nvcc"))
    return home + "/bin/nvcc";
  if (std::string path = findOtherInPath("nvcc"); !path.empty())
    return path;
  if (isUsable(GPUSCHED_DEFAULT_NVCC))
    return std::string(GPUSCHED_DEFAULT_NVCC);
  return Status::error("no nvcc found in CUDA_HOME, in PATH or at '" GPUSCHED_DEFAULT_NVCC
                       "'; install the CUDA toolkit or give --gpusched-nvcc=PATH");
}

std::string toolkitOf(const std::string& nvcc) {
  std::error_code error;
  fs::path root = fs::canonical(nvcc, error).parent_path().parent_path();
  if (error || !fs::exists(root / "include" / "cuda_runtime.h", error))
    root = askForToolkit(nvcc);
  return root.string();
}

} // namespace gpusched::cc
