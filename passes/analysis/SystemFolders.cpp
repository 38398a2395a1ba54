// SystemFolders.cpp - tells them apart by what they hold.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/SystemFolders.h"

#include <algorithm>
#include <filesystem>

namespace gpusched::passes {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kOption = "-isystem";

/// A toolkit's headers, or CCCL's: they lean on being a system's, and so does the parse.
bool isToolkit(const std::string& folder) {
  std::error_code error;
  return fs::exists(folder + "/cuda_runtime.h", error) ||
         fs::exists(folder + "/cuda/std/version", error) || fs::exists(folder + "/c++", error);
}

bool isOneOf(const std::vector<std::string>& folders, const std::string& folder) {
  std::error_code error;
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& other) {
    return fs::equivalent(folder, other, error);
  });
}

/// Calls `take(argument, folder)`; the folder is empty for all but -isystem.
template <class Take> void forEach(const std::vector<std::string>& arguments, const Take& take) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool found = argument.compare(0, kOption.size(), kOption) == 0;
    if (found && argument.size() == kOption.size() && i + 1 < arguments.size())
      take(argument, arguments[++i]);
    else
      take(argument, found ? argument.substr(kOption.size()) : "");
  }
}

} // namespace

std::vector<std::string> ownSystemFolders(const TransformRequest& request) {
  std::vector<std::string> folders;
  forEach(request.clangArguments, [&](const std::string&, const std::string& folder) {
    if (!folder.empty() && !isToolkit(folder) && !isOneOf(request.hostFolders, folder))
      folders.push_back(folder);
  });
  return folders;
}

std::vector<std::string> withOrdinary(const std::vector<std::string>& folders,
                                      const std::vector<std::string>& clangArguments) {
  std::vector<std::string> arguments;
  forEach(clangArguments, [&](const std::string& argument, const std::string& folder) {
    if (folder.empty())
      arguments.push_back(argument);
    else if (std::find(folders.begin(), folders.end(), folder) == folders.end())
      arguments.insert(arguments.end(), {std::string(kOption), folder});
  });
  for (const std::string& folder : folders)
    arguments.push_back("-I" + folder);
  return arguments;
}

bool isInOneOf(const std::vector<std::string>& folders, const std::string& name) {
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return name.compare(0, folder.size() + 1, folder + "/") == 0;
  });
}

} // namespace gpusched::passes
