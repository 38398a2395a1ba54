// UnfoldMacros.cpp - one level of macro expansion, as text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments are put in as they are written. The preprocessor would have expanded them first, which
// comes to the same as the expansion of the result, but where an argument's expansion holds a comma
// or the macro's own name; such a text no longer parses, or nvcc rejects it and gets the original.
#include "passes/analysis/UnfoldMacros.h"

#include "passes/KernelPrinter.h"
#include "passes/Refusals.h"
#include "passes/analysis/Signature.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gpusched::passes {
namespace {

using Arguments = std::vector<std::string>;

/// The text of tokens [first, last), white space made one blank.
std::string written(const SourceTokens& tokens, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t index = first; index < last; ++index) {
    if (index > first && tokens.all()[index - 1].end() != tokens.all()[index].offset)
      text += ' ';
    text += tokens.text(index);
  }
  return text;
}

/// What stands in the parentheses behind the name at `name`. None where a directive does.
std::optional<Arguments> argumentsOf(const SourceTokens& tokens, std::size_t name, std::size_t end,
                                     const clang::MacroInfo& macro) {
  Arguments arguments;
  int depth = 0;
  std::size_t first = name + 2;
  for (std::size_t index = name + 1;
       index < tokens.all().size() && tokens.all()[index].offset < end; ++index) {
    if (tokens.all()[index].inDirective || tokens.all()[index].skipped)
      return std::nullopt;
    const std::string_view token = tokens.text(index);
    depth += token == "(" ? 1 : token == ")" ? -1 : 0;
    const bool isRest = macro.isVariadic() && arguments.size() + 1 == macro.getNumParams();
    if (depth == 0 || (depth == 1 && token == "," && !isRest)) {
      arguments.push_back(written(tokens, first, index));
      first = index + 1;
    }
  }
  if (arguments.size() > std::max(1U, macro.getNumParams()))
    return std::nullopt;
  arguments.resize(macro.getNumParams());
  return arguments;
}

/// Writes the tokens of a macro one behind the other.
class Expansion {
public:
  Expansion(const clang::MacroInfo& macro, const Arguments& arguments,
            const clang::SourceManager& sources, const clang::LangOptions& language)
      : macro_(macro), arguments_(arguments), sources_(sources), language_(language) {}

  /// None for what a text cannot stand for.
  std::optional<std::string> text(const std::string& ownName) {
    for (const clang::Token& token : macro_.tokens()) {
      const std::string spelling = clang::Lexer::getSpelling(token, sources_, language_);
      if (token.is(clang::tok::hashat) || spelling == ownName || spelling == "__VA_OPT__")
        return std::nullopt;
      if (token.is(clang::tok::hashhash))
        isPasting_ = true;
      else if (token.is(clang::tok::hash) && macro_.isFunctionLike())
        isQuoting_ = true;
      else if (!std::exchange(isQuoting_, false))
        add(token, spelling);
      else
        addQuoted(token);
    }
    return text_;
  }

private:
  /// #x
  void addQuoted(const clang::Token& token) {
    const bool pastes = std::exchange(isPasting_, false);
    const std::string& argument = arguments_[macro_.getParameterNum(token.getIdentifierInfo())];
    text_ += (pastes ? "\"" : " \"") + clang::Lexer::Stringify(argument) + "\"";
    wasParameter_ = true;
  }

  void add(const clang::Token& token, const std::string& spelling) {
    const int parameter =
        token.getIdentifierInfo() ? macro_.getParameterNum(token.getIdentifierInfo()) : -1;
    const std::string& piece = parameter < 0 ? spelling : arguments_[parameter];
    const bool isRest = macro_.isVariadic() && parameter + 1 == int(macro_.getNumParams());
    if (isPasting_ && isRest && !text_.empty() && text_.back() == ',') {
      if (piece.empty())
        text_.pop_back();
    } else if (!isPasting_ && (token.hasLeadingSpace() || parameter >= 0 || wasParameter_)) {
      text_ += ' ';
    }
    text_ += piece;
    isPasting_ = false;
    wasParameter_ = parameter >= 0;
  }

  const clang::MacroInfo& macro_;
  const Arguments& arguments_;
  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  std::string text_;
  bool isPasting_ = false, isQuoting_ = false, wasParameter_ = false;
};

/// The macros of a text that another pass of the compiler may see another definition of: those
/// with several, one of them under a condition that is no include guard.
std::set<std::string> uncertainMacrosIn(const std::string& text) {
  std::map<std::string, int> definitions;
  std::set<std::string> conditional;
  const SourceTokens tokens(text);
  int depth = 0, guards = 0;
  std::string guard;
  for (std::size_t index = 0; index + 2 < tokens.all().size(); ++index) {
    if (!tokens.all()[index].startsDirective)
      continue;
    const std::string_view directive = tokens.text(index + 1);
    const std::string name(tokens.text(index + 2));
    depth += directive == "if" || directive == "ifdef" || directive == "ifndef";
    depth -= directive == "endif";
    if (directive == "ifndef" && index == 0)
      guard = name;
    guards = depth == 0 ? 0 : guards;
    if (directive != "define")
      continue;
    if (depth == 1 && !guard.empty() && definitions.empty())
      guards = guard == name;
    ++definitions[name];
    if (depth > guards)
      conditional.insert(name);
  }
  std::erase_if(conditional, [&](const std::string& name) { return definitions[name] == 1; });
  return conditional;
}

std::optional<std::string> expansionOf(std::size_t begin, const MacroUse& use,
                                       const SourceFile& file, const clang::ASTContext& context) {
  const clang::SourceManager& sources = context.getSourceManager();
  Arguments arguments;
  if (use.macro->isFunctionLike()) {
    std::optional<Arguments> found =
        argumentsOf(file.tokens, file.tokens.at(begin), use.end, *use.macro);
    if (!found)
      return std::nullopt;
    arguments = std::move(*found);
  }
  return Expansion(*use.macro, arguments, sources, context.getLangOpts()).text(use.name);
}

/// Is this place in a use that is written out already?
bool isCovered(std::size_t offset, const EditSet& edits) {
  return std::any_of(edits.edits().begin(), edits.edits().end(), [&](const Edit& edit) {
    return offset >= edit.offset && offset < edit.offset + edit.length;
  });
}

/// Where the definition begins, template header included.
clang::SourceLocation beginOf(const clang::FunctionDecl& definition) {
  const clang::FunctionTemplateDecl* const described = definition.getDescribedFunctionTemplate();
  return described ? described->getTemplateParameters()->getTemplateLoc()
                   : definition.getOuterLocStart();
}

} // namespace

std::optional<Refusal> MacroUnfolder::readSignature(const clang::FunctionDecl& definition,
                                                    const SourceFiles& files, KernelText& text) {
  const SourceFile& file = files[text.file];
  std::optional<Refusal> refusal = passes::readSignature(definition, file.tokens, uses_, text);
  if (refusal && refusal->code == codeOf(RefusalCode::KernelFromMacro))
    unfoldAround(definition, files, text);
  return refusal;
}

void MacroUnfolder::unfoldAround(const clang::FunctionDecl& definition, const SourceFiles& files,
                                 const KernelText& text) {
  if (files.isReadOnce(text.file))
    unfold(definition, text.file, files[text.file]);
}

bool MacroUnfolder::isInUse(clang::FileID file, std::size_t first, std::size_t place) const {
  const MacroUsesByOffset& uses = uses_.in(file);
  return std::any_of(uses.lower_bound(first), uses.upper_bound(place),
                     [&](const auto& use) { return place < use.second.end; });
}

bool MacroUnfolder::isTheSameForAll(const MacroUse& use, const clang::SourceManager& sources) {
  const clang::FileID file = sources.getFileID(use.macro->getDefinitionLoc());
  const std::optional<llvm::StringRef> text = sources.getBufferDataOrNone(file);
  if (!text)
    return false;
  const auto [known, isNew] = uncertain_.try_emplace(file);
  if (isNew)
    known->second = uncertainMacrosIn(text->str());
  return !known->second.count(use.name);
}

void MacroUnfolder::unfold(const clang::FunctionDecl& definition, std::size_t number,
                           const SourceFile& file) {
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(definition.getBody());
  if (!body)
    return;
  const clang::ASTContext& context = definition.getASTContext();
  const clang::SourceManager& sources = context.getSourceManager();
  const auto place = [&](clang::SourceLocation location) {
    return std::size_t(sources.getFileOffset(sources.getExpansionLoc(location)));
  };
  const std::size_t begin = place(beginOf(definition)), brace = place(body->getLBracLoc()),
                    end = place(body->getRBracLoc());
  const clang::FileID id = sources.getFileID(sources.getExpansionLoc(definition.getLocation()));
  for (const auto& [offset, use] : uses_.in(id)) {
    const bool matters = (offset >= begin && offset <= brace) || offset == end;
    // One use may make several functions.
    if (!matters || isCovered(offset, edits_[number]))
      continue;
    const std::optional<std::string> text =
        !use.macro->tokens_empty() && isTheSameForAll(use, sources)
            ? expansionOf(offset, use, file, context)
            : std::nullopt;
    if (text)
      edits_[number].replace(offset, use.end - offset,
                             *text + newlinesOf(file.text, offset, use.end));
  }
}

std::map<std::size_t, EditSet> MacroUnfolder::take() {
  std::erase_if(edits_, [](const auto& ofFile) { return ofFile.second.empty(); });
  return std::move(edits_);
}

} // namespace gpusched::passes
