// TextFile.cpp - whole files in and out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The temporary's name holds the process id and a counter: two threads or two processes that
// write the same target do not share it. On any failure the temporary is removed.
#include "rt/schema/TextFile.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <unistd.h>

namespace gpusched {
namespace {

std::string temporaryBeside(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return path + ".tmp" + std::to_string(getpid()) + "-" + std::to_string(counter++);
}

Status makeParent(const std::string& path) {
  std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (parent.empty())
    return {};
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  if (error)
    return Status::error("cannot make folder '" + parent.string() + "': " + error.message() +
                         "; check its permissions or choose another path");
  return {};
}

} // namespace

Result<std::string> readTextFile(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return Status::error("cannot read '" + path + "': it is a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return Status::error("cannot read '" + path + "': " + std::strerror(errno));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad())
    return Status::error("cannot read '" + path + "': read error");
  return text.str();
}

Status writeTextFile(const std::string& path, const std::string& text) {
  if (Status made = makeParent(path); !made)
    return made;
  std::string temporary = temporaryBeside(path);
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) {
    int cause = errno;
    std::remove(temporary.c_str());
    return Status::error("cannot write '" + path + "': " + std::strerror(cause) +
                         "; check free space and permissions of its folder");
  }
  if (std::rename(temporary.c_str(), path.c_str()) == 0)
    return {};
  int cause = errno;
  std::remove(temporary.c_str());
  return Status::error("cannot rename to '" + path + "': " + std::strerror(cause));
}

} // namespace gpusched
