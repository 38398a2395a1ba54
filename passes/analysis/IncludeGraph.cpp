// IncludeGraph.cpp - the preprocessor's callbacks, and questions to its header search.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang announces a directive first and enters its file next, so the last announced directive is
// the cause of an entered file.
#include "passes/analysis/IncludeGraph.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringSet.h"

namespace gpusched::passes {
namespace {

clang::OptionalDirectoryEntryRef folderOf(clang::FileID file, const clang::SourceManager& sources) {
  if (const clang::OptionalFileEntryRef entry = sources.getFileEntryRefForID(file))
    return entry->getDir();
  return std::nullopt;
}

} // namespace

class IncludeRecorder : public clang::PPCallbacks {
public:
  explicit IncludeRecorder(IncludeGraph& graph) : graph_(graph) {}

  void InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef spelling,
                          bool angled, clang::CharSourceRange, clang::OptionalFileEntryRef target,
                          llvm::StringRef searchPath, llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    const clang::SourceManager& sources = *graph_.sources_;
    RecordedInclude include;
    std::tie(include.includer, include.offset) = sources.getDecomposedLoc(hash);
    include.spelling = spelling.str();
    include.angled = angled;
    include.target = target;
    const clang::OptionalDirectoryEntryRef folder = folderOf(include.includer, sources);
    include.beside = !angled && folder && searchPath == folder->getName();
    graph_.places_[{include.includer, include.offset}] = graph_.includes_.size();
    graph_.includes_.push_back(include);
    isPending_ = target.has_value();
  }

  void FileChanged(clang::SourceLocation where, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override {
    if (reason == EnterFile && isPending_) {
      const clang::FileID file = graph_.sources_->getFileID(where);
      graph_.includes_.back().entered = file;
      graph_.causes_[file] = graph_.includes_.size() - 1;
    }
    isPending_ = false;
  }

  void HasInclude(clang::SourceLocation, llvm::StringRef spelling, bool,
                  clang::OptionalFileEntryRef target, clang::SrcMgr::CharacteristicKind) override {
    if (!target)
      missing_.insert(spelling);
  }

  /// GCC says nothing about a missing file whose absence __has_include has noticed before; one
  /// that does say something says it to the user.
  bool FileNotFound(llvm::StringRef spelling) override { return missing_.contains(spelling); }

  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override {
    const auto [file, begin] = graph_.sources_->getDecomposedLoc(range.getBegin());
    graph_.skipped_[file].push_back({begin, graph_.sources_->getFileOffset(range.getEnd())});
  }

  void FileSkipped(const clang::FileEntryRef&, const clang::Token&,
                   clang::SrcMgr::CharacteristicKind) override {
    isPending_ = false;
  }

private:
  IncludeGraph& graph_;
  bool isPending_ = false;    ///< the last directive's file may be entered next
  llvm::StringSet<> missing_; ///< what __has_include did not find
};

void IncludeGraph::record(clang::Preprocessor& preprocessor) {
  sources_ = &preprocessor.getSourceManager();
  search_ = &preprocessor.getHeaderSearchInfo();
  preprocessor.addPPCallbacks(std::make_unique<IncludeRecorder>(*this));
}

const std::vector<SkippedRegion>& IncludeGraph::skippedIn(clang::FileID file) const {
  static const std::vector<SkippedRegion> none;
  const std::map<clang::FileID, std::vector<SkippedRegion>>::const_iterator found =
      skipped_.find(file);
  return found == skipped_.end() ? none : found->second;
}

const RecordedInclude* IncludeGraph::causeOf(clang::FileID file) const {
  const std::map<clang::FileID, std::size_t>::const_iterator cause = causes_.find(file);
  return cause == causes_.end() ? nullptr : &includes_[cause->second];
}

const RecordedInclude* IncludeGraph::at(clang::FileID includer, unsigned offset) const {
  const std::map<std::pair<clang::FileID, unsigned>, std::size_t>::const_iterator place =
      places_.find({includer, offset});
  return place == places_.end() ? nullptr : &includes_[place->second];
}

clang::OptionalFileEntryRef IncludeGraph::find(const std::string& spelling, bool angled,
                                               clang::FileID includer, bool& beside) const {
  llvm::SmallVector<std::pair<clang::OptionalFileEntryRef, clang::DirectoryEntryRef>, 1> includers;
  const clang::OptionalDirectoryEntryRef folder = folderOf(includer, *sources_);
  if (folder)
    includers.push_back({sources_->getFileEntryRefForID(includer), *folder});
  llvm::SmallString<128> searchPath;
  const clang::OptionalFileEntryRef found = search_->LookupFile(
      spelling, clang::SourceLocation(), angled, nullptr, nullptr, includers, &searchPath, nullptr,
      nullptr, nullptr, nullptr, nullptr, /*SkipCache=*/true, /*BuildSystemModule=*/false,
      /*OpenFile=*/false);
  beside = found && !angled && folder && searchPath == folder->getName();
  return found;
}

} // namespace gpusched::passes
