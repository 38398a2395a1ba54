// MissingWords.cpp - finds the places in Clang's diagnostics, and keeps account of what was added.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang names the place where the qualifiers begin, if there are some. A place in a macro's body or
// argument is where its text stands: `template` is allowed in every use of it. Cost: linear in the
// text, where something is added.
#include "passes/analysis/MissingWords.h"

#include "passes/analysis/Parse.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace gpusched::passes {
namespace {

constexpr std::size_t kWordLength = std::string_view(kMissingWord).size();

/// Clang says so, or finds functions, several ones perhaps, in place of an operand of `<`.
bool isOfWord(unsigned diagnostic) {
  return diagnostic == clang::diag::err_template_kw_missing ||
         diagnostic == clang::diag::err_missing_dependent_template_keyword ||
         diagnostic == clang::diag::err_bound_member_function ||
         diagnostic == clang::diag::err_ovl_unresolvable;
}

/// Raw tokens of a text from an offset on.
class Tokens {
public:
  Tokens(llvm::StringRef text, std::size_t begin)
      : lexer_(clang::SourceLocation(), language_, text.begin(), text.begin() + begin, text.end()) {
    next();
  }

  void next() { lexer_.LexFromRawLexer(token_); }
  bool is(clang::tok::TokenKind kind) const { return token_.is(kind); }
  bool joins() const {
    return token_.isOneOf(clang::tok::period, clang::tok::arrow, clang::tok::coloncolon);
  }
  bool endsSearch() const {
    return token_.isOneOf(clang::tok::semi, clang::tok::l_brace, clang::tok::eof);
  }
  std::size_t begin() { return lexer_.getCurrentBufferOffset() - token_.getLength(); }

  /// From a `<` past the `>` that belongs to it.
  void skipArguments() {
    int angles = 0, others = 0;
    do {
      const int step = is(clang::tok::less) ? 1 : is(clang::tok::greater) ? -1 : 0;
      others += token_.isOneOf(clang::tok::l_paren, clang::tok::l_square);
      others -= token_.isOneOf(clang::tok::r_paren, clang::tok::r_square);
      angles += others > 0 ? 0 : is(clang::tok::greatergreater) ? -2 : step;
      next();
    } while (angles > 0 && others >= 0 && !endsSearch());
  }

private:
  const clang::LangOptions language_;
  clang::Lexer lexer_;
  clang::Token token_;
};

/// Is it the name of a member or behind a qualifier?
bool isJoined(llvm::StringRef text, std::size_t offset) {
  const llvm::StringRef before = text.take_front(offset).rtrim();
  return before.ends_with(".") || before.ends_with("->") || before.ends_with("::");
}

/// Does the edit take out part of the word added at `offset`?
bool covers(const Edit& edit, std::size_t offset) {
  return edit.offset < offset + kWordLength && offset < edit.offset + edit.length;
}

/// Offset of the first name, at `begin` or behind the qualifiers that begin there, whose template
/// arguments are followed by no `::`.
std::optional<std::size_t> templateName(llvm::StringRef text, std::size_t begin) {
  Tokens tokens(text, begin);
  bool joined = isJoined(text, begin);
  while (!tokens.endsSearch()) {
    const std::optional<std::size_t> name =
        tokens.is(clang::tok::raw_identifier) ? std::optional(tokens.begin()) : std::nullopt;
    const bool wasJoined = joined;
    joined = tokens.joins();
    tokens.next();
    if (!name || !tokens.is(clang::tok::less))
      continue;
    tokens.skipArguments();
    if (wasJoined && !tokens.is(clang::tok::coloncolon))
      return name;
  }
  return std::nullopt;
}

} // namespace

void noteMissingWord(const clang::Diagnostic& diagnostic, MissingWords& missing) {
  if (!isOfWord(diagnostic.getID()) || !diagnostic.hasSourceManager())
    return;
  const clang::SourceManager& sources = diagnostic.getSourceManager();
  const clang::SourceLocation place = sources.getSpellingLoc(diagnostic.getLocation());
  // A name that ## made has no place in a file.
  if (!place.isValid() || !sources.getFileEntryForID(sources.getFileID(place)))
    return;
  if (const std::optional<std::size_t> offset = templateName(
          sources.getBufferData(sources.getFileID(place)), sources.getFileOffset(place)))
    missing[textKey(sources.getFilename(place).str())].insert(*offset);
}

std::string AddedWords::add(const std::string& text, const std::set<std::size_t>& offsets) {
  EditSet words;
  for (const std::size_t offset : offsets)
    words.insert(offset, kMissingWord);
  follow(words);
  std::size_t added = 0;
  for (const std::size_t offset : offsets)
    offsets_.push_back(offset + kWordLength * added++);
  std::sort(offsets_.begin(), offsets_.end());
  return words.apply(text);
}

void AddedWords::follow(const EditSet& changes) {
  std::vector<std::size_t> moved;
  for (const std::size_t offset : offsets_) {
    std::size_t now = offset;
    bool covered = false;
    for (const Edit& edit : changes.edits()) {
      covered |= covers(edit, offset);
      if (edit.offset <= offset)
        now += edit.text.size() - edit.length;
    }
    if (!covered)
      moved.push_back(now);
  }
  offsets_ = std::move(moved);
}

void AddedWords::takeOut(EditSet& edits) const {
  std::vector<std::size_t> free;
  for (const std::size_t offset : offsets_)
    if (std::none_of(edits.edits().begin(), edits.edits().end(),
                     [&](const Edit& edit) { return covers(edit, offset); }))
      free.push_back(offset);
  for (const std::size_t offset : free)
    edits.replace(offset, kWordLength, "");
}

unsigned AddedWords::columnWithout(const std::string& text, unsigned line, unsigned column) const {
  std::size_t begin = 0;
  for (unsigned skipped = 1; skipped < line && begin != std::string::npos; ++skipped)
    begin = text.find('\n', begin) + 1;
  const auto before = [&](std::size_t offset) {
    return offset >= begin && offset + kWordLength < begin + column;
  };
  return column - kWordLength * unsigned(std::count_if(offsets_.begin(), offsets_.end(), before));
}

} // namespace gpusched::passes
