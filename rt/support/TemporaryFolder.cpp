// TemporaryFolder.cpp - makes and removes the folder of one run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removal ignores errors: what is left in a temporary folder is no reason to fail a build.
#include "rt/support/TemporaryFolder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace gpusched {

Result<TemporaryFolder> TemporaryFolder::make() {
  const char* chosen = std::getenv("TMPDIR");
  std::string path = std::string(chosen && *chosen ? chosen : "/tmp") + "/gpusched-XXXXXX";
  if (!::mkdtemp(path.data()))
    return Status::error("cannot make a folder like '" + path + "': " + std::strerror(errno) +
                         "; set TMPDIR");
  return TemporaryFolder(std::filesystem::absolute(path).string());
}

void TemporaryFolder::remove() {
  if (path_.empty())
    return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  path_.clear();
}

} // namespace gpusched
