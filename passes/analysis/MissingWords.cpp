// MissingWords.cpp - finds the places in Clang's diagnostics, and keeps account of what was added.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang names the place where the qualifiers begin, if there are some. A place in a macro's body or
// argument is where its text stands; a use of it that does not bear the word is an error then, and
// keeps its kernels native. Cost: linear in the text, where something is added.
#include "passes/analysis/MissingWords.h"

#include "passes/analysis/Parse.h"
#include "passes/edit/SourceTokens.h"

#include "clang/AST/Decl.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/Type.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticAST.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <optional>

namespace gpusched::passes {
namespace {

constexpr llvm::StringRef kThis = "this";

/// Clang says so, or finds functions, several ones perhaps, in place of an operand of `<`.
bool isOfTemplate(unsigned diagnostic) {
  return diagnostic == clang::diag::err_template_kw_missing ||
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
  bool opens() const { return token_.isOneOf(clang::tok::l_paren, clang::tok::l_square); }
  bool closes() const { return token_.isOneOf(clang::tok::r_paren, clang::tok::r_square); }
  bool endsSearch() const {
    return token_.isOneOf(clang::tok::semi, clang::tok::l_brace, clang::tok::eof);
  }
  std::size_t begin() { return lexer_.getCurrentBufferOffset() - token_.getLength(); }

  /// Past one token, or `operator` and the symbols that name it.
  void skipName(llvm::StringRef text) {
    const bool isOperator =
        is(clang::tok::raw_identifier) && text.substr(begin(), token_.getLength()) == "operator";
    next();
    if (!isOperator || is(clang::tok::raw_identifier))
      return;
    const bool isPair = token_.isOneOf(clang::tok::l_paren, clang::tok::l_square);
    next();
    if (isPair)
      next();
  }

  /// From a `<` past the `>` that belongs to it.
  void skipArguments() {
    int angles = 0, others = 0;
    do {
      const int step = is(clang::tok::less) ? 1 : is(clang::tok::greater) ? -1 : 0;
      others += opens();
      others -= closes();
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
    tokens.skipName(text);
    if (!name || !tokens.is(clang::tok::less))
      continue;
    tokens.skipArguments();
    if (wasJoined && !tokens.is(clang::tok::coloncolon))
      return name;
  }
  return std::nullopt;
}

/// Where the qualified name begins whose last part, behind `template`, is at `place`; none where it
/// has template arguments before.
std::optional<std::size_t> beginOfQualified(llvm::StringRef text, std::size_t place) {
  const auto isWord = [](char character) { return clang::isAsciiIdentifierContinue(character); };
  llvm::StringRef before = text.take_front(place).rtrim();
  before.consume_back("template");
  before = before.rtrim();
  std::size_t begin = llvm::StringRef::npos;
  while (before.consume_back("::")) {
    before = before.rtrim();
    const std::size_t size = before.size();
    while (!before.empty() && isWord(before.back()))
      before = before.drop_back();
    if (before.size() == size)
      return std::nullopt;
    begin = before.size();
    before = before.rtrim();
  }
  return begin == llvm::StringRef::npos ? std::nullopt : std::optional(begin);
}

/// A constant of a class, `model->scale.kFactor`, asked of an object that is none: the class is all
/// that counts. Without a `.` or `->` the object is `this`, in parentheses.
WordsOfText ownerAt(llvm::StringRef text, std::size_t place) {
  Tokens tokens(text, place);
  std::size_t separator = 0;
  bool isArrow = true;
  do {
    tokens.next();
    if (!tokens.is(clang::tok::period) && !tokens.is(clang::tok::arrow))
      break;
    separator = tokens.begin();
    isArrow = tokens.is(clang::tok::arrow);
    tokens.next();
  } while (tokens.is(clang::tok::raw_identifier));
  const bool isThis = separator == 0 && text.substr(place).starts_with(kThis);
  if (separator == 0 && !isThis)
    return {};
  if (isArrow)
    return {{place, "((decltype("}, {isThis ? place + kThis.size() : separator, "))nullptr)"}};
  return {{place, "((decltype(&"}, {separator, "))nullptr)->/*"}, {separator + 1, "*/"}};
}

/// v = {}, where several of the class's operators take the list: it is one of the class's own
/// objects.
WordsOfText classOfListAt(llvm::StringRef text, std::size_t place,
                          const clang::Diagnostic& diagnostic) {
  Tokens tokens(text, place);
  const bool assigns = tokens.is(clang::tok::equal);
  tokens.next();
  const std::size_t list = tokens.begin();
  const bool begins = tokens.is(clang::tok::l_brace);
  tokens.next();
  constexpr unsigned kLeft = 1;
  if (!assigns || !begins || !tokens.is(clang::tok::r_brace) ||
      diagnostic.getArgKind(kLeft) != clang::DiagnosticsEngine::ak_qualtype)
    return {};
  const auto type =
      clang::QualType::getFromOpaquePtr(reinterpret_cast<const void*>(diagnostic.getRawArg(kLeft)));
  clang::LangOptions language;
  language.CPlusPlus = true;
  return {{list, type.getNonReferenceType().getCanonicalType().getUnqualifiedType().getAsString(
                     clang::PrintingPolicy(language))}};
}

/// std::array<T, 2>(a, b), where `place` is that of `a`: the list of an array inside needs braces.
WordsOfText listOfArgumentsAt(llvm::StringRef text, std::size_t place) {
  if (!text.take_front(place).rtrim().ends_with("("))
    return {};
  Tokens tokens(text, place);
  int depth = 0;
  while (depth > 0 || !tokens.is(clang::tok::r_paren)) {
    if (tokens.is(clang::tok::eof) || tokens.is(clang::tok::semi))
      return {};
    depth += tokens.opens();
    depth -= tokens.closes();
    tokens.next();
  }
  return {{place, "{"}, {tokens.begin(), "}"}};
}

/// Does a declaration begin behind this token, which may end a label?
bool endsBefore(const SourceTokens& tokens, std::size_t index) {
  const std::string_view word = tokens.text(index);
  return tokens.all()[index].inDirective || word == ";" || word == "{" || word == "}" ||
         word == ":";
}

/// `word` in front of the declaration whose name is at `place`, behind its `template <...>`.
WordsOfText beforeDeclaration(llvm::StringRef text, std::size_t place, const char* word) {
  const std::string source = text.str();
  const SourceTokens words(source);
  std::size_t first = words.at(place);
  while (first > 0 && !endsBefore(words, first - 1))
    --first;
  if (first == words.all().size())
    return {};
  Tokens tokens(text, words.all()[first].offset);
  while (text.substr(tokens.begin()).starts_with("template")) {
    tokens.next();
    if (!tokens.is(clang::tok::less))
      break;
    tokens.skipArguments();
  }
  return {{tokens.begin(), word}};
}

WordsOfText processorsAt(llvm::StringRef text, std::size_t place) {
  return beforeDeclaration(text, place, "__host__ __device__ ");
}

/// Of two functions with one signature, Clang takes the one that has a condition which holds. By a
/// macro, which nvcc may meet where the text of a function is copied (Launch.h).
WordsOfText preferenceAt(llvm::StringRef text, std::size_t place) {
  return beforeDeclaration(text, place, "GPUSCHED_PREFERRED ");
}

/// Is it a second definition of what the headers that Clang puts before the toolkit's define? nvcc
/// has those functions built in.
bool definesFunctionOfClang(const clang::Diagnostic& diagnostic) {
  if (diagnostic.getID() != clang::diag::err_redefinition || diagnostic.getNumArgs() == 0 ||
      diagnostic.getArgKind(0) != clang::DiagnosticsEngine::ak_nameddecl)
    return false;
  const auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(
      reinterpret_cast<const clang::NamedDecl*>(diagnostic.getRawArg(0)));
  const clang::FunctionDecl* const first = function ? function->getDefinition() : nullptr;
  const clang::SourceManager& sources = diagnostic.getSourceManager();
  return first && llvm::sys::path::filename(
                      sources.getFilename(sources.getSpellingLoc(first->getLocation())))
                      .starts_with("__clang_");
}

/// Is it a note about a function of the host's that device code would call? nvcc takes such code
/// where nothing is called, as in decltype(f(1)).
bool isCandidateOfHost(const clang::Diagnostic& diagnostic) {
  constexpr unsigned kKind = 0, kTarget = 3;
  constexpr uint64_t kFunction = 0, kHost = 2;
  return diagnostic.getID() == clang::diag::note_ovl_candidate_bad_target &&
         diagnostic.getRawArg(kKind) == kFunction && diagnostic.getRawArg(kTarget) == kHost;
}

/// What is missing at `place` of `text`, where Clang reports `diagnostic`.
WordsOfText wordsAt(llvm::StringRef text, std::size_t place, unsigned diagnostic) {
  if (isOfTemplate(diagnostic)) {
    const std::optional<std::size_t> name = templateName(text, place);
    return name ? WordsOfText{{*name, "template "}} : WordsOfText{};
  }
  switch (diagnostic) {
  case clang::diag::err_typename_missing:
  case clang::diag::err_typename_missing_template:
    return {{place, "typename "}};
  case clang::diag::err_template_kw_refers_to_type_template: {
    const std::optional<std::size_t> begin = beginOfQualified(text, place);
    return begin ? WordsOfText{{*begin, "typename "}} : WordsOfText{};
  }
  case clang::diag::err_found_in_dependent_base:
    return {{place, "this->"}};
  case clang::diag::note_constexpr_this:
  case clang::diag::note_constexpr_var_init_non_constant:
  case clang::diag::note_constexpr_function_param_value_unknown:
    return ownerAt(text, place);
  case clang::diag::err_array_init_not_init_list:
    return listOfArgumentsAt(text, place);
  case clang::diag::note_cuda_ovl_candidate_target_mismatch:
  case clang::diag::err_cuda_ovl_target:
    return processorsAt(text, place);
  default:
    return {};
  }
}

/// What a declaration for other processors than it declares once more.
const clang::NamedDecl* otherDeclaration(const clang::Diagnostic& diagnostic) {
  constexpr unsigned kOther = 3;
  if (diagnostic.getID() != clang::diag::err_cuda_ovl_target ||
      diagnostic.getArgKind(kOther) != clang::DiagnosticsEngine::ak_nameddecl)
    return nullptr;
  return reinterpret_cast<const clang::NamedDecl*>(diagnostic.getRawArg(kOther));
}

} // namespace

void noteMissingWord(const clang::Diagnostic& diagnostic, clang::SourceLocation error,
                     MissingWords& missing) {
  if (!diagnostic.hasSourceManager())
    return;
  const clang::SourceManager& sources = diagnostic.getSourceManager();
  const auto note = [&](clang::SourceLocation location, const auto& find) {
    const clang::SourceLocation place = sources.getSpellingLoc(location);
    // A name that ## made has no place in a file.
    if (!place.isValid() || !sources.getFileEntryForID(sources.getFileID(place)))
      return;
    const WordsOfText words =
        find(sources.getBufferData(sources.getFileID(place)), sources.getFileOffset(place));
    if (!words.empty())
      missing[textKey(sources.getFilename(place).str())].insert(words.begin(), words.end());
  };
  note(diagnostic.getLocation(), [&](llvm::StringRef text, std::size_t place) {
    return diagnostic.getID() == clang::diag::err_ovl_ambiguous_oper_binary
               ? classOfListAt(text, place, diagnostic)
           : definesFunctionOfClang(diagnostic) ? preferenceAt(text, place)
           : isCandidateOfHost(diagnostic)      ? processorsAt(text, place)
                                                : wordsAt(text, place, diagnostic.getID());
  });
  if (diagnostic.getID() == clang::diag::note_cuda_ovl_candidate_target_mismatch)
    note(error, processorsAt);
  if (const clang::NamedDecl* const other = otherDeclaration(diagnostic))
    note(other->getLocation(), processorsAt);
}

bool AddedWords::covers(const Edit& edit, const Word& word) {
  return edit.offset < word.offset + word.length && word.offset < edit.offset + edit.length;
}

std::string AddedWords::add(const std::string& text, const WordsOfText& words) {
  EditSet insertions;
  for (const auto& [offset, word] : words)
    insertions.insert(offset, word);
  follow(insertions);
  std::size_t added = 0;
  for (const auto& [offset, word] : words) {
    words_.push_back({offset + added, word.size()});
    added += word.size();
  }
  std::sort(words_.begin(), words_.end(),
            [](const Word& one, const Word& other) { return one.offset < other.offset; });
  return insertions.apply(text);
}

void AddedWords::follow(const EditSet& changes) {
  std::vector<Word> moved;
  for (const Word& word : words_) {
    std::size_t now = word.offset;
    bool covered = false;
    for (const Edit& edit : changes.edits()) {
      covered |= covers(edit, word);
      if (edit.offset <= word.offset)
        now += edit.text.size() - edit.length;
    }
    if (!covered)
      moved.push_back({now, word.length});
  }
  words_ = std::move(moved);
}

void AddedWords::takeOut(EditSet& edits) const {
  std::vector<Word> free;
  for (const Word& word : words_)
    if (std::none_of(edits.edits().begin(), edits.edits().end(),
                     [&](const Edit& edit) { return covers(edit, word); }))
      free.push_back(word);
  for (const Word& word : free)
    edits.replace(word.offset, word.length, "");
}

unsigned AddedWords::columnWithout(const std::string& text, unsigned line, unsigned column) const {
  std::size_t begin = 0;
  for (unsigned skipped = 1; skipped < line && begin != std::string::npos; ++skipped)
    begin = text.find('\n', begin) + 1;
  unsigned before = 0;
  for (const Word& word : words_)
    if (word.offset >= begin && word.offset + word.length < begin + column)
      before += unsigned(word.length);
  return column - before;
}

} // namespace gpusched::passes
