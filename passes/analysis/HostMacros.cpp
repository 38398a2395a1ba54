// HostMacros.cpp - exchanges two sets of definitions at the borders of files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang lexes the host's definitions like any others, from a header that gives each a prefix. Names
// that both sets define alike are left out at the first exchange.
// Cost: a few hundred table look-ups for each border between a file of the user and a system
// header.
#include "passes/analysis/HostMacros.h"

#include "passes/edit/SourceTokens.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <set>

namespace gpusched::passes {
namespace {

constexpr llvm::StringRef kDefine = "#define ";
constexpr const char* kPrefix = "gpusched_host_";

llvm::StringRef nameIn(llvm::StringRef definition) {
  return definition.take_until([](char c) { return c == ' ' || c == '('; });
}

/// What Clang's tokens `__has_feature` and the like are: no text, only a name that is defined.
constexpr const char* kAskClang[] = {
    "__has_feature", "__has_extension",  "__has_constexpr_builtin",
    "__has_warning", "__is_identifier",  "__has_declspec_attribute",
    "__MODULE__",    "__building_module"};

bool isClang(const std::vector<std::string>& names) {
  return llvm::is_contained(names, "__clang__");
}

/// The part of Clang's predefinitions that no option asks for; CUDA's are nvcc's, too.
std::set<std::string> predefinedByClang(llvm::StringRef text) {
  std::set<std::string> names;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    if (line.starts_with("# 1 \"<command line>\""))
      break;
    if (line.consume_front(kDefine) && !line.starts_with("__CUDA"))
      names.insert(nameIn(line).str());
  }
  return names;
}

class Exchange : public clang::PPCallbacks {
public:
  Exchange(clang::Preprocessor& preprocessor, const std::set<std::string>& names,
           std::string definitions)
      : preprocessor_(preprocessor), definitions_(std::move(definitions)) {
    for (const std::string& name : names)
      entries_.push_back({name, nullptr});
  }

  void FileChanged(clang::SourceLocation where, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind kind, clang::FileID) override {
    const clang::SourceManager& sources = preprocessor_.getSourceManager();
    const auto [file, offset] = sources.getDecomposedExpansionLoc(where);
    if (reason == SystemHeaderPragma && host_ && !isHeading(file, offset))
      midway_.insert(file);
    const bool isSystem = clang::SrcMgr::isSystem(kind) && !midway_.contains(file);
    const bool host = !isSystem && isUsers(file);
    if (host == host_)
      return;
    host_ = host;
    exchange();
  }

private:
  struct Entry {
    std::string name;
    clang::MacroInfo* other; ///< in the set that does not hold now; null: not defined there
  };

  /// Is nothing but directives in front of `offset`? A `#pragma GCC system_header` there makes a
  /// library's header of the file; one behind other text only wants no warnings for the rest.
  bool isHeading(clang::FileID file, unsigned offset) const {
    const llvm::StringRef text = preprocessor_.getSourceManager().getBufferData(file);
    const std::string front = text.substr(0, offset).str();
    const SourceTokens tokens(front);
    return llvm::all_of(tokens.all(), [](const SourceToken& token) { return token.inDirective; });
  }

  /// Clang enters the main file, then the texts that come before it, then goes back.
  bool isUsers(clang::FileID file) {
    const clang::SourceManager& sources = preprocessor_.getSourceManager();
    begun_ |= file != sources.getMainFileID();
    const clang::OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
    return begun_ && entry && entry->getName() != definitions_;
  }

  void exchange() {
    if (!isRead_)
      readHost();
    for (Entry& entry : entries_) {
      clang::IdentifierInfo& name = *preprocessor_.getIdentifierInfo(entry.name);
      clang::MacroInfo* const now = preprocessor_.getMacroInfo(&name);
      if (entry.other)
        preprocessor_.appendDefMacroDirective(&name, entry.other);
      else if (now)
        name.setHasMacroDefinition(false);
      entry.other = now;
    }
  }

  void readHost() {
    isRead_ = true;
    llvm::erase_if(entries_, [&](Entry& entry) {
      entry.other =
          preprocessor_.getMacroInfo(preprocessor_.getIdentifierInfo(kPrefix + entry.name));
      const clang::MacroInfo* const now =
          preprocessor_.getMacroInfo(preprocessor_.getIdentifierInfo(entry.name));
      return now && entry.other && now->isIdenticalTo(*entry.other, preprocessor_, true);
    });
  }

  clang::Preprocessor& preprocessor_;
  std::string definitions_; ///< path of the host's
  std::vector<Entry> entries_;
  llvm::DenseSet<clang::FileID> midway_; ///< users', with the pragma somewhere in the middle
  bool host_ = false, begun_ = false, isRead_ = false;
};

} // namespace

HostMacros::HostMacros(const std::string& listing, const std::vector<std::string>& given)
    : given_(given) {
  for (const llvm::StringRef line : llvm::split(listing, '\n'))
    read(line);
  header_ = "#pragma GCC system_header\n" + header_;
  path_ = "/gpusched/host-" + llvm::utohexstr(llvm::xxh3_64bits(header_)) + ".h";
}

void HostMacros::read(llvm::StringRef line) {
  if (!line.consume_front(kDefine))
    return;
  const std::string name = nameIn(line).str();
  if (name.empty() || llvm::is_contained(given_, name))
    return;
  names_.push_back(name);
  header_ += (kDefine + kPrefix + line + "\n").str();
}

void HostMacros::record(clang::Preprocessor& preprocessor) const {
  if (empty())
    return;
  std::set<std::string> names = predefinedByClang(preprocessor.getPredefines());
  names.insert(names_.begin(), names_.end());
  if (!isClang(names_))
    names.insert(std::begin(kAskClang), std::end(kAskClang));
  for (const std::string& name : given_)
    names.erase(name);
  preprocessor.addPPCallbacks(std::make_unique<Exchange>(preprocessor, names, path_));
}

} // namespace gpusched::passes
