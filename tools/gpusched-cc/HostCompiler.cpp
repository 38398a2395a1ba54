// HostCompiler.cpp - finds the host compiler as nvcc does and asks it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cc/HostCompiler.h"

#include "tools/gpusched-cc/Process.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace gpusched::cc {
namespace {

constexpr const char* kDefaultCompiler = "gcc";

bool mayDefine(const std::string& option) {
  constexpr const char* kinds[] = {"-std=", "-f", "-m", "-O"};
  return std::any_of(std::begin(kinds), std::end(kinds),
                     [&](const char* kind) { return option.starts_with(kind); });
}

/// The search list of `-v`: its other lines, of which some are translated, name no folder.
std::vector<std::string> foldersIn(const std::string& report) {
  std::vector<std::string> folders;
  std::istringstream lines(report);
  std::error_code error;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(" /") && std::filesystem::is_directory(line.substr(1), error))
      folders.push_back(line.substr(1));
  return folders;
}

} // namespace

std::string hostCompiler(const std::string& chosen) {
  const char* const variable = std::getenv("NVCC_CCBIN");
  const std::string wanted = !chosen.empty() ? chosen : variable ? variable : "";
  std::error_code error;
  if (wanted.empty())
    return kDefaultCompiler;
  return std::filesystem::is_directory(wanted, error) ? wanted + "/" + kDefaultCompiler : wanted;
}

HostCompiler askHostCompiler(const std::string& compiler, const std::vector<std::string>& options) {
  Command command = {compiler};
  std::copy_if(options.begin(), options.end(), std::back_inserter(command), mayDefine);
  command.insert(command.end(), {"-v", "-dM", "-E", "-x", "c++", "/dev/null"});
  const ProcessResult result = runCollected(command);
  return result.ok() ? HostCompiler{result.output, foldersIn(result.errors)} : HostCompiler{};
}

} // namespace gpusched::cc
