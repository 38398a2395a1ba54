// SourceFiles.cpp - numbers inclusions when they are first needed, and reads their directives.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost: only texts on the way to a kernel are lexed. Directives are found in the raw tokens, so
// those in skipped regions are seen as well: the host pass of the compiler may execute them.
#include "passes/analysis/SourceFiles.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <filesystem>

namespace gpusched::passes {
namespace fs = std::filesystem;
namespace {

std::string absolute(llvm::StringRef name) {
  std::error_code error;
  return fs::absolute(name.str(), error).string();
}

std::string folderOf(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

/// Past the last token of the directive that begins with the token `hash`.
std::size_t endOfDirective(const SourceTokens& tokens, std::size_t hash) {
  std::size_t index = hash + 1;
  while (index < tokens.all().size() && tokens.all()[index].inDirective &&
         !tokens.all()[index].startsDirective)
    ++index;
  return index;
}

/// "x.h" or <x.h> without its quotes; anything else is a macro's business.
void readSpelling(const SourceFile& text, IncludeDirective& directive) {
  const std::string_view name =
      std::string_view(text.text).substr(directive.nameBegin, directive.nameLength);
  directive.angled = name.size() > 2 && name.front() == '<' && name.back() == '>';
  if (directive.angled || (name.size() > 2 && name.front() == '"' && name.back() == '"'))
    directive.spelling = name.substr(1, name.size() - 2);
}

/// What the file holds; the parse may have read it respelt, at the same length.
std::string originalText(const std::string& path, llvm::StringRef parsed, const Texts& headers) {
  const Texts::const_iterator given = headers.find(textKey(path));
  if (given != headers.end())
    return given->second;
  const llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(path);
  return (file && (*file)->getBufferSize() == parsed.size() ? (*file)->getBuffer() : parsed).str();
}

} // namespace

SourceFiles::SourceFiles(const clang::SourceManager& sources, const IncludeGraph& graph,
                         std::unique_ptr<SourceFile> mainFile, const Texts& headers)
    : sources_(sources), graph_(graph), headers_(headers) {
  add(sources.getMainFileID(), std::move(mainFile));
}

std::size_t SourceFiles::add(clang::FileID file, std::unique_ptr<SourceFile> text) {
  for (const SkippedRegion& region : graph_.skippedIn(file))
    text->tokens.skip(region.begin, region.end);
  files_.push_back(std::move(text));
  ids_.push_back(file);
  return numbers_[file] = files_.size() - 1;
}

clang::FileID SourceFiles::fileOf(clang::SourceLocation location) const {
  return sources_.getFileID(sources_.getExpansionLoc(location));
}

std::optional<std::size_t> SourceFiles::numberOf(clang::SourceLocation location) {
  return numberOfFile(fileOf(location));
}

clang::SourceLocation SourceFiles::locationOf(std::size_t number, std::size_t offset) const {
  return sources_.getLocForStartOfFile(ids_[number]).getLocWithOffset(offset);
}

bool SourceFiles::isBefore(std::size_t file, std::size_t offset, std::size_t otherFile,
                           std::size_t otherOffset) const {
  return sources_.isBeforeInTranslationUnit(locationOf(file, offset),
                                            locationOf(otherFile, otherOffset));
}

bool SourceFiles::isReadOnce(std::size_t number) const {
  const clang::FileEntry* const file = sources_.getFileEntryForID(ids_[number]);
  return std::none_of(graph_.all().begin(), graph_.all().end(), [&](const RecordedInclude& other) {
    return other.entered.isValid() && other.entered != ids_[number] &&
           sources_.getFileEntryForID(other.entered) == file;
  });
}

std::string SourceFiles::obstacle(clang::SourceLocation location) {
  return obstacleOf(fileOf(location));
}

std::string SourceFiles::obstacleOf(clang::FileID file) {
  const auto [known, isNew] = obstacles_.try_emplace(file);
  if (!isNew || file == sources_.getMainFileID())
    return known->second;
  const clang::OptionalFileEntryRef entry = sources_.getFileEntryRefForID(file);
  const RecordedInclude* const cause = graph_.causeOf(file);
  std::string why;
  if (!entry || !cause)
    why = "it has no file";
  else if (!sources_.getFileEntryRefForID(cause->includer))
    why = "'" + cause->spelling + "' is included by an option";
  else if (sources_.isInSystemHeader(sources_.getLocForStartOfFile(file)))
    why = "'" + nameOf(file) + "' is a system header";
  else
    why = obstacleOf(cause->includer);
  return obstacles_[file] = why;
}

bool SourceFiles::dependsOnArchitecture(clang::SourceLocation location) {
  auto [file, offset] = sources_.getDecomposedLoc(sources_.getExpansionLoc(location));
  while (true) {
    const std::optional<std::size_t> number = numberOfFile(file);
    if (number && files_[*number]->tokens.dependsOnArchitecture(offset))
      return true;
    const RecordedInclude* const cause = graph_.causeOf(file);
    if (!cause)
      return false;
    file = cause->includer;
    offset = cause->offset;
  }
}

/// nvcc's preprocessor names a file that it found beside "a.cu" without a "./" in front.
std::string SourceFiles::nameOf(clang::FileID file) const {
  if (file == sources_.getMainFileID())
    return files_[0]->name;
  const RecordedInclude* const cause = graph_.causeOf(file);
  if (cause && cause->beside)
    return folderOf(nameOf(cause->includer)) + cause->spelling;
  const clang::OptionalFileEntryRef entry = sources_.getFileEntryRefForID(file);
  return entry ? entry->getNameAsRequested().str() : "";
}

std::optional<std::size_t> SourceFiles::numberOfFile(clang::FileID file) {
  const std::map<clang::FileID, std::size_t>::const_iterator known = numbers_.find(file);
  if (known != numbers_.end())
    return known->second;
  const std::optional<llvm::StringRef> text = sources_.getBufferDataOrNone(file);
  if (!text || !obstacleOf(file).empty() || !numberOfFile(graph_.causeOf(file)->includer))
    return std::nullopt;
  const std::string path = sources_.getFileEntryRefForID(file)->getNameAsRequested().str();
  return add(file,
             std::make_unique<SourceFile>(nameOf(file), path, originalText(path, *text, headers_)));
}

/// A header that is entered once may be named by many directives; all of them must name the copy.
void SourceFiles::addOtherIncluders() {
  for (std::size_t before = 0; before != files_.size();) {
    before = files_.size();
    for (const RecordedInclude& include : graph_.all())
      if (include.target && !numbers_.count(include.includer) &&
          numberOfTarget(include.target->getFileEntry()))
        numberOfFile(include.includer);
  }
}

std::optional<std::size_t> SourceFiles::numberOfTarget(const clang::FileEntry& target) const {
  for (const auto& [file, number] : numbers_)
    if (number != 0 && sources_.getFileEntryForID(file) == &target)
      return number;
  return std::nullopt;
}

/// A directive that enters a file for itself has a copy of its own, or needs none.
void SourceFiles::resolve(clang::FileID file, unsigned offset, IncludeDirective& directive) const {
  clang::OptionalFileEntryRef target;
  bool entersForItself = false;
  if (const RecordedInclude* const recorded = graph_.at(file, offset)) {
    target = recorded->target;
    entersForItself = recorded->entered.isValid();
    directive.spelling = recorded->spelling;
    directive.angled = recorded->angled;
    directive.beside = recorded->beside;
    const std::map<clang::FileID, std::size_t>::const_iterator entered =
        numbers_.find(recorded->entered);
    if (entered != numbers_.end())
      directive.file = entered->second;
  } else if (!directive.spelling.empty() && !directive.next) {
    target = graph_.find(directive.spelling, directive.angled, file, directive.beside);
  }
  if (!target)
    return;
  directive.target = absolute(target->getNameAsRequested());
  directive.name = directive.beside ? folderOf(nameOf(file)) + directive.spelling
                                    : target->getNameAsRequested().str();
  if (!directive.file && !entersForItself && directive.keywordLength > 0)
    directive.file = numberOfTarget(target->getFileEntry());
}

IncludeDirective SourceFiles::directiveAt(clang::FileID file, const SourceFile& text,
                                          std::size_t hash) const {
  IncludeDirective directive;
  const std::vector<SourceToken>& all = text.tokens.all();
  const std::size_t end = endOfDirective(text.tokens, hash);
  if (end < hash + 3)
    return directive;
  const std::string_view keyword = text.tokens.text(hash + 1);
  if (keyword != "include" && keyword != "include_next" && keyword != "import")
    return directive;
  directive.keywordBegin = all[hash + 1].offset;
  directive.keywordLength = all[hash + 1].length;
  directive.next = keyword == "include_next";
  directive.nameBegin = all[hash + 2].offset;
  directive.nameLength = all[end - 1].end() - directive.nameBegin;
  readSpelling(text, directive);
  resolve(file, all[hash].offset, directive);
  return directive;
}

void SourceFiles::describe(clang::FileID file, SourceFile& text) const {
  const std::vector<SourceToken>& all = text.tokens.all();
  for (std::size_t index = 0; index + 2 < all.size(); ++index) {
    IncludeDirective directive;
    if (all[index].startsDirective) {
      directive = directiveAt(file, text, index);
    } else if (all[index].inDirective && text.tokens.text(index) == "__has_include" &&
               text.tokens.text(index + 1) == "(") {
      directive.nameBegin = all[index + 2].offset;
      directive.nameLength = all[index + 2].length;
      readSpelling(text, directive);
      resolve(file, all[index].offset, directive);
    }
    if (!directive.target.empty())
      text.includes.push_back(directive);
  }
}

SeenTexts SourceFiles::seen() const {
  SeenTexts seen;
  seen.add(files_[0]->path, graph_.skippedIn(ids_[0]));
  for (const RecordedInclude& include : graph_.all()) {
    const clang::OptionalFileEntryRef entry = sources_.getFileEntryRefForID(include.entered);
    if (entry && !sources_.isInSystemHeader(sources_.getLocForStartOfFile(include.entered)))
      seen.add(entry->getNameAsRequested().str(), graph_.skippedIn(include.entered));
  }
  return seen;
}

std::vector<std::unique_ptr<SourceFile>> SourceFiles::take(std::vector<QuoteSearch>& elsewhere) {
  addOtherIncluders();
  for (const auto& [file, number] : numbers_)
    describe(file, *files_[number]);
  for (const RecordedInclude& include : graph_.all())
    if (!include.angled && !include.beside && include.target && !numbers_.count(include.includer))
      elsewhere.push_back({include.spelling, absolute(include.target->getNameAsRequested())});
  return std::move(files_);
}

} // namespace gpusched::passes
