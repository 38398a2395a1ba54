// RedirectIncludes.cpp - a fixpoint over includers, then one decision per directive.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A quoted name is searched for in the folder of the file that holds it, then in the -iquote
// folders, then where <name> is. For a copy the first step finds nothing, so the question is what
// the -iquote folders hold. One that would change what some other file's directive means is not
// used.
#include "passes/edit/RedirectIncludes.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>

namespace gpusched::passes {
namespace fs = std::filesystem;
namespace {

using Files = std::vector<std::unique_ptr<SourceFile>>;

std::string normal(const fs::path& path) {
  std::error_code error;
  return fs::absolute(path, error).lexically_normal().string();
}

std::string folderOf(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// -Xcompiler divides at commas and passes through a shell.
bool survivesCommandLine(const std::string& folder) {
  return folder.find_first_of(" ,'\"\\$`()&;|<>*?#!\t\n") == std::string::npos;
}

/// Files with edits, and all that include one of them.
std::vector<bool> closure(const Files& files, const std::vector<EditSet>& edits) {
  std::vector<bool> rewritten(files.size());
  for (std::size_t number = 0; number < files.size(); ++number)
    rewritten[number] = !edits[number].empty();
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t number = 0; number < files.size(); ++number)
      for (const IncludeDirective& directive : files[number]->includes)
        if (!rewritten[number] && directive.file && rewritten[*directive.file])
          rewritten[number] = changed = true;
  }
  return rewritten;
}

class Redirection {
public:
  Redirection(const Files& files, const std::function<bool(const std::string&)>& exists,
              std::vector<bool> rewritten)
      : files_(files), exists_(exists) {
    overlay_.rewritten = std::move(rewritten);
  }

  Overlay run(const std::vector<QuoteSearch>& elsewhere, std::vector<EditSet>& edits) {
    for (std::size_t number = 0; number < files_.size(); ++number)
      if (overlay_.rewritten[number])
        addFolder(folderOf(files_[number]->path), elsewhere);
    for (std::size_t number = 0; number < files_.size(); ++number)
      if (overlay_.rewritten[number])
        for (const IncludeDirective& directive : files_[number]->includes)
          redirect(directive, edits[number]);
    return std::move(overlay_);
  }

private:
  void addFolder(const std::string& folder, const std::vector<QuoteSearch>& elsewhere) {
    std::vector<std::string>& folders = overlay_.quoteFolders;
    const bool leadsAstray =
        std::any_of(elsewhere.begin(), elsewhere.end(), [&](const QuoteSearch& search) {
          const fs::path found = fs::path(folder) / search.spelling;
          return exists_(found.string()) && normal(found) != normal(search.target);
        });
    if (!leadsAstray && survivesCommandLine(folder) &&
        std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(folder);
  }

  std::optional<std::string> foundByQuoteFolders(const std::string& spelling) const {
    for (const std::string& folder : overlay_.quoteFolders)
      if (const fs::path found = fs::path(folder) / spelling; exists_(found.string()))
        return found.string();
    return std::nullopt;
  }

  /// Would the directive, as it is, lead from the copy to the file it meant?
  bool leadsThere(const IncludeDirective& directive) {
    if (directive.angled || directive.next)
      return !directive.next;
    if (directive.spelling == fs::path(files_[0]->path).filename())
      return false;
    const std::optional<std::string> found = foundByQuoteFolders(directive.spelling);
    if (found && *found != directive.name && normal(*found) == normal(directive.target))
      overlay_.renamed[*found] = directive.name;
    return found ? normal(*found) == normal(directive.target) : !directive.beside;
  }

  void redirect(const IncludeDirective& directive, EditSet& edits) {
    const bool toCopy = directive.file && overlay_.rewritten[*directive.file];
    if (!toCopy && leadsThere(directive))
      return;
    const std::string target =
        toCopy ? copyName(*files_[*directive.file], *directive.file) : directive.target;
    if (!toCopy)
      overlay_.renamed[target] = directive.name;
    edits.replace(directive.nameBegin, directive.nameLength, "\"" + target + "\"");
    if (directive.next)
      edits.replace(directive.keywordBegin, directive.keywordLength, "include");
  }

  const Files& files_;
  const std::function<bool(const std::string&)>& exists_;
  Overlay overlay_;
};

} // namespace

std::string copyName(const SourceFile& file, std::size_t number) {
  std::string name = fs::path(file.path).filename().string();
  if (number == 0)
    return name;
  for (char& character : name)
    if (!std::isalnum(static_cast<unsigned char>(character)) && character != '.')
      character = '_';
  return "gpusched-" + std::to_string(number) + "-" + name;
}

Overlay redirectIncludes(const Files& files, const std::vector<QuoteSearch>& elsewhere,
                         std::vector<EditSet>& edits,
                         const std::function<bool(const std::string&)>& exists) {
  return Redirection(files, exists, closure(files, edits)).run(elsewhere, edits);
}

} // namespace gpusched::passes
