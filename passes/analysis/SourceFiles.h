// SourceFiles.h - the texts of a parse that a rewrite may touch, and why others may not.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A header is rewritten as a copy, and every file on the way to it from the main file with it,
// because a directive must name the copy. Headers of -isystem folders and of the toolkit belong to
// somebody else and stay as they are.
#pragma once

#include "passes/analysis/IncludeGraph.h"
#include "passes/analysis/Parse.h"
#include "passes/analysis/SourceFile.h"
#include "passes/edit/RedirectIncludes.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpusched::passes {

class SourceFiles {
public:
  /// `headers` are texts that stand for files.
  SourceFiles(const clang::SourceManager& sources, const IncludeGraph& graph,
              std::unique_ptr<SourceFile> mainFile, const Texts& headers);

  /// Number of the text that holds a location, macros expanded; reads it when it is new. None for
  /// what cannot be rewritten, see `obstacle`.
  std::optional<std::size_t> numberOf(clang::SourceLocation location);
  const SourceFile& operator[](std::size_t number) const { return *files_[number]; }

  /// Was this text's file read once only? Otherwise its macros may mean something else there.
  bool isReadOnce(std::size_t number) const;

  /// Does the one place come before the other in the translation unit?
  bool isBefore(std::size_t file, std::size_t offset, std::size_t otherFile,
                std::size_t otherOffset) const;

  /// Why the text that holds a location cannot be rewritten; empty when it can.
  std::string obstacle(clang::SourceLocation location);
  /// Is this location, or a directive on the way to it, subject to __CUDA_ARCH__?
  bool dependsOnArchitecture(clang::SourceLocation location);

  /// Adds what else includes the numbered texts, describes all their directives and gives them up.
  /// `elsewhere` gets the searches of the texts that have no number.
  std::vector<std::unique_ptr<SourceFile>> take(std::vector<QuoteSearch>& elsewhere);
  /// What this parse read of the user's files. REQUIRES: before `take`.
  SeenTexts seen() const;

private:
  clang::FileID fileOf(clang::SourceLocation location) const;
  clang::SourceLocation locationOf(std::size_t number, std::size_t offset) const;
  std::optional<std::size_t> numberOfFile(clang::FileID file);
  std::string obstacleOf(clang::FileID file);
  std::string nameOf(clang::FileID file) const;
  std::size_t add(clang::FileID file, std::unique_ptr<SourceFile> text);
  void addOtherIncluders();
  void describe(clang::FileID file, SourceFile& text) const;
  IncludeDirective directiveAt(clang::FileID file, const SourceFile& text, std::size_t hash) const;
  void resolve(clang::FileID file, unsigned offset, IncludeDirective& directive) const;
  std::optional<std::size_t> numberOfTarget(const clang::FileEntry& target) const;

  const clang::SourceManager& sources_;
  const IncludeGraph& graph_;
  const Texts& headers_;
  std::vector<std::unique_ptr<SourceFile>> files_;
  std::vector<clang::FileID> ids_; ///< by number
  std::map<clang::FileID, std::size_t> numbers_;
  std::map<clang::FileID, std::string> obstacles_;
};

} // namespace gpusched::passes
