// Resources.cpp - finds our public headers and helpers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configured folder comes last, so that an installed copy never reads a checkout that has
// moved on.
#include "tools/gpusched-cc/Resources.h"

#include "rt/support/Environment.h"

#include <filesystem>

namespace gpusched::cc {
namespace fs = std::filesystem;
namespace {

constexpr const char* kShipped = "share/gpusched/include";

} // namespace

Result<std::string> includeFolder() {
  std::error_code error;
  fs::path prefix = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  const std::string chosen = environment("GPUSCHED_INCLUDE");
  for (const std::string& folder :
       {chosen, (prefix / kShipped).string(), std::string(GPUSCHED_INCLUDE_FOLDER)})
    if (!folder.empty() && fs::exists(folder + "/gpusched/Launch.h", error))
      return folder;
  return Status::error("gpusched/Launch.h is neither in '" + (prefix / kShipped).string() +
                       "' nor in '" GPUSCHED_INCLUDE_FOLDER "'; set GPUSCHED_INCLUDE");
}

std::string helperProgram(const std::string& name) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path() / name;
  return fs::exists(program, error) ? program.string() : "";
}

} // namespace gpusched::cc
