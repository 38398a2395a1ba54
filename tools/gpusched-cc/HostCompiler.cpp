// HostCompiler.cpp - finds the host compiler as nvcc does and asks it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cc/HostCompiler.h"

#include "tools/gpusched-cc/Process.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace gpusched::cc {
namespace {

constexpr const char* kDefaultCompiler = "gcc";

bool mayDefine(const std::string& option) {
  constexpr const char* kinds[] = {"-std=", "-f", "-m", "-O"};
  return std::any_of(std::begin(kinds), std::end(kinds),
                     [&](const char* kind) { return option.starts_with(kind); });
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

std::string predefinedMacros(const std::string& compiler, const std::vector<std::string>& options) {
  Command command = {compiler};
  std::copy_if(options.begin(), options.end(), std::back_inserter(command), mayDefine);
  command.insert(command.end(), {"-dM", "-E", "-x", "c++", "/dev/null"});
  const ProcessResult result = runCollected(command);
  return result.ok() ? result.output : "";
}

} // namespace gpusched::cc
