// ParsedPrefix.cpp - the folder of kept prefixes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost of a use: one small file is read, and one stat per included name and search folder (a few
// hundred names). A prefix has about ten megabytes.
#include "passes/analysis/ParsedPrefix.h"

#include "rt/schema/TextFile.h"

#include "clang/Basic/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <tuple>

namespace gpusched::passes {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostPrefixes = 32; // of 8 MB; a build has one for each set of -D options
constexpr const char* kAsked = "asked";
constexpr const char* kFailed = "failed";
constexpr const char* kMade = "made";

/// Clang and GCC search folders that these name before the system's.
bool environmentNamesFolders() {
  return std::getenv("CPATH") || std::getenv("C_INCLUDE_PATH") || std::getenv("CPLUS_INCLUDE_PATH");
}

bool anyHolds(const std::vector<std::string>& folders, const std::string& name) {
  std::error_code error;
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return fs::exists(folder + "/" + name, error) || error;
  });
}

/// A file that is gone has the oldest time.
fs::file_time_type timeOf(const fs::path& path) {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(path, error);
  return error ? fs::file_time_type::min() : time;
}

void removeLeastUsed(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".pch")
      kept.emplace_back(timeOf(entry.path()), entry.path());
  std::sort(kept.rbegin(), kept.rend());
  for (std::size_t i = kMostPrefixes; i < kept.size(); ++i) {
    fs::remove(fs::path(kept[i].second).replace_extension(".txt"), error);
    fs::remove(kept[i].second, error);
  }
}

} // namespace

ParsedPrefix::ParsedPrefix(const std::string& folder, const std::vector<std::string>& identity)
    : folder_(folder) {
  if (folder.empty() || environmentNamesFolders())
    return;
  const std::string all = clang::getClangFullVersion() + '\n' + llvm::join(identity, "\n");
  const std::string place = folder + "/" + llvm::utohexstr(llvm::xxh3_64bits(all));
  state_ = place + ".txt";
  header_ = place + ".pch";
}

std::string ParsedPrefix::find(const std::vector<std::string>& searchFolders,
                               const std::function<MadePrefix()>& make) const {
  if (header_.empty())
    return "";
  const Result<std::string> text = readTextFile(state_);
  if (!text) {
    std::ignore = writeTextFile(state_, kAsked);
    return "";
  }
  std::istringstream lines(*text == kAsked ? this->make(make) : *text);
  std::string line;
  if (!std::getline(lines, line) || line != kMade)
    return "";
  while (std::getline(lines, line))
    if (anyHolds(searchFolders, line))
      return "";
  std::error_code ignored;
  fs::last_write_time(header_, fs::file_time_type::clock::now(), ignored);
  return header_;
}

/// Returns the new state, "" when it cannot be written.
std::string ParsedPrefix::make(const std::function<MadePrefix()>& make) const {
  const MadePrefix made = make();
  std::string state = made.data.empty() ? kFailed : kMade;
  for (const std::string& name : made.names)
    if (fs::path(name).is_relative())
      state += "\n" + name;
  const bool kept = (made.data.empty() || writeTextFile(header_, made.data).ok()) &&
                    writeTextFile(state_, state).ok();
  removeLeastUsed(folder_);
  return kept ? state : "";
}

void ParsedPrefix::forget() const {
  std::error_code ignored;
  fs::remove(header_, ignored);
  std::ignore = writeTextFile(state_, kAsked);
}

PrefixArguments splitForPrefix(const std::vector<std::string>& clangArguments) {
  PrefixArguments split;
  const std::pair<llvm::StringRef, std::vector<std::string>*> options[] = {
      {"-isystem", &split.searchFolders},   {"-iquote", &split.searchFolders},
      {"-idirafter", &split.searchFolders}, {"-I", &split.searchFolders},
      {"-include", &split.preIncludes},     {"-imacros", &split.preIncludes}};
  for (std::size_t i = 0; i < clangArguments.size(); ++i) {
    const llvm::StringRef argument = clangArguments[i];
    const auto* const found =
        std::find_if(std::begin(options), std::end(options),
                     [&](const auto& option) { return argument.starts_with(option.first); });
    if (found == std::end(options)) {
      split.decisive.push_back(argument.str());
      continue;
    }
    const llvm::StringRef glued = argument.drop_front(found->first.size());
    if (!glued.empty())
      found->second->push_back(glued.str());
    else if (i + 1 < clangArguments.size())
      found->second->push_back(clangArguments[++i]);
  }
  return split;
}

} // namespace gpusched::passes
