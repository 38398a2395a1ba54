// Signature.cpp - AST locations to byte offsets, with every form that is not taken refused.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// extern "C" without braces: Clang's declaration begins after it, so the start is the linkage
// specification's. Unnamed parameters get a name of ours at the place where Clang would have
// found one. Does not look at what the body does.
#include "passes/analysis/Signature.h"

#include "passes/Refusals.h"
#include "passes/analysis/HostLambdas.h"
#include "passes/analysis/ParameterUses.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Stmt.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gpusched::passes {
namespace {

/// Turns locations into offsets in the text that holds the definition's name.
class Offsets {
public:
  explicit Offsets(const clang::FunctionDecl& definition)
      : sources_(definition.getASTContext().getSourceManager()),
        file_(sources_.getFileID(sources_.getExpansionLoc(definition.getLocation()))) {}

  /// Of a location that no macro made.
  std::optional<std::size_t> plain(clang::SourceLocation location) const {
    if (location.isInvalid() || location.isMacroID() || sources_.getFileID(location) != file_)
      return std::nullopt;
    return sources_.getFileOffset(location);
  }

  /// Of a location or the macro that made it.
  std::optional<std::size_t> expansion(clang::SourceLocation location) const {
    return plain(sources_.getExpansionLoc(location));
  }

  /// Of the last token of a macro's use. A `>` that Clang took out of a `>>` looks like one, whose
  /// end is behind it.
  std::optional<std::size_t> lastOf(clang::SourceLocation location) const {
    const clang::CharSourceRange use = sources_.getExpansionRange(location);
    const std::optional<std::size_t> end = plain(use.getEnd());
    return end && use.isCharRange() ? *end - 1 : end;
  }

  clang::FileID file() const { return file_; }

private:
  const clang::SourceManager& sources_;
  const clang::FileID file_;
};

/// Clang's place of [[an::attribute]] or __attribute__((one)) is inside the parentheses.
std::size_t openingOf(const clang::Attr& attribute, std::size_t place, const SourceTokens& tokens) {
  const bool isStandard = attribute.isStandardAttributeSyntax();
  if (attribute.getLocation().isMacroID() || !(isStandard || attribute.isGNUAttribute()))
    return place;
  for (std::size_t index = tokens.at(place); index-- > 1;) {
    const bool opens = isStandard ? tokens.text(index) == "[" && tokens.text(index - 1) == "["
                                  : tokens.text(index) == "__attribute__";
    if (opens)
      return tokens.all()[isStandard ? index - 1 : index].offset;
  }
  return place;
}

/// The first byte of the declaration: specifiers, attributes, extern "C".
std::optional<std::size_t> beginOf(const clang::FunctionDecl& definition, const Offsets& offsets,
                                   const SourceTokens& tokens) {
  std::optional<std::size_t> begin = offsets.expansion(definition.getInnerLocStart());
  const auto include = [&](std::optional<std::size_t> offset) {
    if (begin && offset)
      begin = std::min(*begin, *offset);
  };
  for (const clang::Attr* attribute : definition.attrs())
    if (!attribute->isImplicit() && !attribute->isInherited())
      if (const std::optional<std::size_t> place = offsets.expansion(attribute->getLocation()))
        include(openingOf(*attribute, *place, tokens));
  const auto* linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(definition.getLexicalDeclContext());
  if (linkage && !linkage->hasBraces())
    include(offsets.expansion(linkage->getExternLoc()));
  return begin;
}

std::string madeUpName(const char* kind, std::size_t index) {
  return std::string("gpusched_") + kind + std::to_string(index);
}

template <class Parameter> clang::SourceRange defaultIn(const clang::NamedDecl& parameter) {
  const auto* declared = llvm::dyn_cast<Parameter>(&parameter);
  return declared && declared->hasDefaultArgument() && !declared->defaultArgumentWasInherited()
             ? declared->getDefaultArgument().getSourceRange()
             : clang::SourceRange();
}

/// Of a template's parameter; invalid where this declaration has none.
clang::SourceRange defaultOf(const clang::NamedDecl& parameter) {
  for (const clang::SourceRange range : {defaultIn<clang::TemplateTypeParmDecl>(parameter),
                                         defaultIn<clang::NonTypeTemplateParmDecl>(parameter),
                                         defaultIn<clang::TemplateTemplateParmDecl>(parameter)})
    if (range.isValid())
      return range;
  return {};
}

/// Of the token that holds `last`, or of a `>` that is one of its two.
std::size_t endOfToken(std::size_t last, const SourceTokens& tokens) {
  const SourceToken& token = tokens.all()[tokens.at(last)];
  return token.offset != last || tokens.text(tokens.at(last)).starts_with(">") ? last + 1
                                                                               : token.end();
}

void readDefault(clang::SourceRange range, const Offsets& offsets, const SourceTokens& tokens,
                 KernelText& text) {
  if (range.isInvalid())
    return;
  const std::optional<std::size_t> begin = offsets.expansion(range.getBegin()),
                                   last = offsets.lastOf(range.getEnd());
  const std::size_t index = begin ? tokens.at(*begin) : 0;
  if (last && index > 0 && tokens.text(index - 1) == "=")
    text.defaultArguments[tokens.all()[index - 1].offset] = endOfToken(*last, tokens);
  else
    text.keepsDefaults = true;
}

bool readTemplateParameters(const clang::TemplateParameterList& list, const Offsets& offsets,
                            const SourceTokens& tokens, KernelText& text) {
  for (const clang::NamedDecl* declared : list) {
    KernelTemplateParameter parameter;
    parameter.name = declared->getNameAsString();
    parameter.unnamed = parameter.name.empty();
    parameter.pack = declared->isTemplateParameterPack();
    readDefault(defaultOf(*declared), offsets, tokens, text);
    if (parameter.unnamed) {
      const std::optional<std::size_t> place = offsets.plain(declared->getLocation());
      if (!place)
        return false;
      parameter.nameOffset = *place;
      parameter.name = madeUpName("T", text.templateParameters.size());
    }
    text.templateParameters.push_back(parameter);
  }
  return true;
}

bool hasToken(const SourceTokens& tokens, std::size_t begin, std::size_t end,
              std::string_view word) {
  for (std::size_t index = tokens.at(begin); tokens.all()[index].offset < end; ++index)
    if (tokens.text(index) == word && !tokens.all()[index].skipped)
      return true;
  return false;
}

/// Do conditions between the two offsets hold nothing but launch bounds?
bool chooseOnlyBounds(const SourceTokens& tokens, std::size_t begin, std::size_t end) {
  int conditions = 0, parentheses = 0;
  for (std::size_t index = tokens.at(begin); tokens.all()[index].offset < end; ++index) {
    const std::string_view word = tokens.text(index);
    if (tokens.all()[index].startsDirective) {
      const std::string_view directive = tokens.text(index + 1);
      conditions += directive == "endif" ? -1 : directive.substr(0, 2) == "if" ? 1 : 0;
    } else if (!tokens.all()[index].inDirective && conditions > 0) {
      const bool isBounds = word == "__launch_bounds__" && tokens.text(index + 1) == "(";
      if (parentheses == 0 && !isBounds && word != "(")
        return false;
      parentheses += word == "(" ? 1 : word == ")" ? -1 : 0;
    }
  }
  return true;
}

/// Conditions may stand in a signature: what they left out is not copied, and they stay where they
/// are in the outlined function. What outline removes has to remove whole conditions. Of what
/// depends on the architecture, launch bounds alone can be compared over all of them.
bool canBeCopied(const clang::FunctionDecl& definition, const SourceTokens& tokens,
                 KernelText& text) {
  const bool emptyList = definition.parameters().empty();
  text.boundsAskArchitecture = tokens.asksArchitecture(text.signatureBegin, text.nameBegin);
  return tokens.hasOnlyConditions(text.templateBegin, text.bodyBegin) &&
         !tokens.asksArchitecture(text.templateBegin, text.signatureBegin) &&
         !tokens.asksArchitecture(text.nameBegin, text.bodyBegin) &&
         (!text.boundsAskArchitecture ||
          chooseOnlyBounds(tokens, text.signatureBegin, text.nameBegin)) &&
         tokens.conditionsBalance(text.signatureBegin, text.nameEnd) &&
         !(emptyList && tokens.hasDirective(text.leftParenthesis, text.rightParenthesis));
}

/// The word __grid_constant__, or a macro that stands for it and nothing else: in the pass for the
/// host that may be an empty one.
bool readGridConstant(const clang::CUDAGridConstantAttr& attribute, const Offsets& offsets,
                      const SourceTokens& tokens, const MacroUses& macros,
                      KernelParameter& parameter) {
  const std::optional<std::size_t> begin = offsets.expansion(attribute.getLocation());
  if (!begin)
    return false;
  const MacroUsesByOffset& uses = macros.in(offsets.file());
  const MacroUsesByOffset::const_iterator use = uses.find(*begin);
  if (use != uses.end() &&
      (use->second.macro->getNumTokens() != 1 ||
       !use->second.macro->tokens().front().getIdentifierInfo() ||
       use->second.macro->tokens().front().getIdentifierInfo()->getName() != "__grid_constant__"))
    return false;
  parameter.gridConstantBegin = *begin;
  parameter.gridConstant = tokens.all()[tokens.at(*begin)].length;
  return use != uses.end() || tokens.text(tokens.at(*begin)) == "__grid_constant__";
}

bool isMoved(clang::QualType type) {
  const auto* pack = type->getAs<clang::PackExpansionType>();
  return (pack ? pack->getPattern() : type)->isRValueReferenceType();
}

bool readParameters(const clang::FunctionDecl& definition, const Offsets& offsets,
                    const SourceTokens& tokens, const MacroUses& macros, KernelText& text) {
  for (const clang::ParmVarDecl* declared : definition.parameters()) {
    KernelParameter parameter;
    parameter.name = declared->getNameAsString();
    parameter.unnamed = parameter.name.empty();
    parameter.pack = declared->isParameterPack();
    parameter.isMoved = isMoved(declared->getType());
    if (declared->hasDefaultArg() && !declared->hasInheritedDefaultArg())
      readDefault(declared->getDefaultArgRange(), offsets, tokens, text);
    const auto* constant = declared->getAttr<clang::CUDAGridConstantAttr>();
    const std::optional<std::size_t> place = offsets.plain(declared->getLocation());
    if (!place && (parameter.unnamed || constant))
      return false;
    if (constant && !readGridConstant(*constant, offsets, tokens, macros, parameter))
      return false;
    parameter.nameOffset = place.value_or(0);
    if (parameter.unnamed)
      parameter.name = madeUpName("p", text.parameters.size());
    text.parameters.push_back(parameter);
  }
  return true;
}

/// The namespaces to enter, where a kernel is defined through a qualified name. A member stays
/// where it is, and so does a device function.
bool readQualifier(const clang::FunctionDecl& definition, const Offsets& offsets,
                   KernelText& text) {
  const std::optional<std::size_t> begin =
      offsets.plain(definition.getQualifierLoc().getBeginLoc());
  if (!begin)
    return false;
  text.specifiersEnd = *begin;
  if (!definition.hasAttr<clang::CUDAGlobalAttr>())
    return true;
  const clang::DeclContext* const outer =
      definition.getLexicalDeclContext()->getEnclosingNamespaceContext();
  for (const clang::DeclContext* scope = definition.getDeclContext(); !scope->Equals(outer);
       scope = scope->getParent()) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(scope);
    if (!space)
      return false;
    text.entersScope = "namespace " + space->getNameAsString() + " { " + text.entersScope;
    text.leavesScope += " }";
  }
  return true;
}

/// template <> __global__ void k<int>(int* a): the header ends before the specifiers, the name
/// behind the arguments.
bool readSpecialization(const clang::FunctionDecl& definition, const Offsets& offsets,
                        const SourceTokens& tokens, KernelText& text) {
  if (definition.getNumTemplateParameterLists() != 1)
    return false;
  const clang::TemplateParameterList& header = *definition.getTemplateParameterList(0);
  const std::optional<std::size_t> begin = offsets.plain(header.getTemplateLoc()),
                                   end = offsets.plain(header.getRAngleLoc());
  const auto* arguments = definition.getTemplateSpecializationArgsAsWritten();
  const bool written = arguments && arguments->getRAngleLoc().isValid();
  const std::optional<std::size_t> close =
      written ? offsets.plain(arguments->getRAngleLoc()) : text.nameEnd - 1;
  if (!begin || !end || !close)
    return false;
  text.isSpecialization = true;
  text.templateBegin = *begin;
  text.signatureBegin = tokens.all()[tokens.at(*end + 1)].offset;
  text.nameEnd = *close + 1;
  return true;
}

/// The headers of the function and, in front of them, of the classes that its name goes through.
bool readHeaders(const clang::FunctionDecl& definition, const Offsets& offsets,
                 const SourceTokens& tokens, KernelText& text) {
  if (definition.getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
    return readSpecialization(definition, offsets, tokens, text);
  std::optional<std::size_t> begin = text.signatureBegin;
  if (const clang::FunctionTemplateDecl* const described =
          definition.getDescribedFunctionTemplate()) {
    const clang::TemplateParameterList& list = *described->getTemplateParameters();
    begin = offsets.plain(list.getTemplateLoc());
    text.isTemplate = true;
    if (!readTemplateParameters(list, offsets, tokens, text))
      return false;
  }
  if (definition.getNumTemplateParameterLists() > 0) {
    text.outerHeader = true;
    begin = offsets.plain(definition.getTemplateParameterList(0)->getTemplateLoc());
  }
  text.templateBegin = begin.value_or(0);
  return begin.has_value();
}

/// Does a declaration in the same class begin at the same place: int f(), g();
bool sharesSpecifiers(const clang::FunctionDecl& declaration) {
  return llvm::any_of(declaration.getLexicalDeclContext()->noload_decls(),
                      [&](const clang::Decl* other) {
                        const auto* declared = llvm::dyn_cast<clang::DeclaratorDecl>(other);
                        return declared && declared != &declaration &&
                               declared->getInnerLocStart() == declaration.getInnerLocStart();
                      });
}

/// The `;` of a declaration that is the only one there.
std::optional<std::size_t> endOfDeclaration(const clang::FunctionDecl& declaration,
                                            const SourceTokens& tokens,
                                            std::size_t rightParenthesis) {
  if (sharesSpecifiers(declaration))
    return std::nullopt;
  int depth = 0;
  for (std::size_t index = tokens.at(rightParenthesis) + 1; index < tokens.all().size(); ++index) {
    const std::string_view word = tokens.text(index);
    depth += word == "(" ? 1 : word == ")" ? -1 : 0;
    if (depth == 0 && word == ";")
      return tokens.all()[index].offset;
    if (depth == 0 && (word == "," || word == "=" || word == "{"))
      break;
  }
  return std::nullopt;
}

/// Where a body begins and ends; a declaration has its `;` there.
std::optional<std::pair<std::size_t, std::size_t>> bodyOf(const clang::FunctionDecl& definition,
                                                          const Offsets& offsets,
                                                          const SourceTokens& tokens,
                                                          std::size_t rightParenthesis) {
  if (!definition.isThisDeclarationADefinition()) {
    const std::optional<std::size_t> end = endOfDeclaration(definition, tokens, rightParenthesis);
    return end ? std::optional(std::pair(*end, *end + 1)) : std::nullopt;
  }
  const auto& body = *llvm::cast<clang::CompoundStmt>(definition.getBody());
  const std::optional<std::size_t> brace = offsets.plain(body.getLBracLoc()),
                                   end = offsets.plain(body.getRBracLoc());
  return brace && end ? std::optional(std::pair(*brace, *end + 1)) : std::nullopt;
}

/// The use of a macro that makes what is in the range and nothing else.
MacroUsesByOffset::const_iterator useThatMakes(clang::SourceRange range,
                                               const clang::ASTContext& context,
                                               const Offsets& offsets,
                                               const MacroUsesByOffset& uses) {
  const clang::SourceManager& sources = context.getSourceManager();
  const bool isWhole =
      range.getBegin().isMacroID() && range.getEnd().isMacroID() &&
      clang::Lexer::isAtStartOfMacroExpansion(range.getBegin(), sources, context.getLangOpts()) &&
      clang::Lexer::isAtEndOfMacroExpansion(range.getEnd(), sources, context.getLangOpts());
  const std::optional<std::size_t> begin = offsets.expansion(range.getBegin());
  return isWhole && begin && begin == offsets.expansion(range.getEnd()) ? uses.find(*begin)
                                                                        : uses.end();
}

/// Where a kernel's return type is written that is not the word void: std::enable_if_t<...>. Not
/// where a macro makes it with other words.
void readReturnType(const clang::FunctionDecl& definition, const Offsets& offsets,
                    const SourceTokens& tokens, const MacroUses& macros, KernelText& text) {
  const clang::TypeLoc type = definition.getFunctionTypeLoc().getReturnLoc();
  if (!definition.hasAttr<clang::CUDAGlobalAttr>() || type.getAs<clang::BuiltinTypeLoc>())
    return;
  const clang::SourceRange range = type.getSourceRange();
  const MacroUsesByOffset& uses = macros.in(offsets.file());
  const auto use = useThatMakes(range, definition.getASTContext(), offsets, uses);
  const std::optional<std::size_t> begin = offsets.plain(range.getBegin()),
                                   last = offsets.lastOf(range.getEnd());
  if (use != uses.end())
    text.returnType = {use->first, use->second.end};
  else if (begin && last)
    text.returnType = {*begin, endOfToken(*last, tokens)};
}

/// Where the name begins and ends: `operator ()` may have spaces, a constructor's is that of its
/// class, and a kernel's may be what a macro stands for and nothing else.
class NamePlace {
public:
  NamePlace(const clang::FunctionDecl& definition, const Offsets& offsets, const MacroUses& macros)
      : definition_(definition), begin_(offsets.plain(definition.getLocation())) {
    const clang::SourceLocation name = definition.getLocation();
    if (begin_ || !definition.hasAttr<clang::CUDAGlobalAttr>() || name.isInvalid())
      return;
    const MacroUsesByOffset& uses = macros.in(offsets.file());
    const auto use = useThatMakes(name, definition.getASTContext(), offsets, uses);
    if (use == uses.end())
      return;
    begin_ = use->first;
    endOfMacro_ = use->second.end;
  }

  std::optional<std::size_t> begin() const { return begin_; }

  /// Conditions that the name is in may end behind it: then with these.
  std::size_t end(const SourceTokens& tokens, std::size_t leftParenthesis) const {
    const std::size_t last = tokens.at(leftParenthesis), end = plainEnd(tokens, last);
    const auto isLeftOut = [](const SourceToken& token) {
      return token.inDirective || token.skipped;
    };
    const std::vector<SourceToken>& all = tokens.all();
    const std::size_t behind = tokens.at(end);
    return behind < last && std::all_of(all.begin() + behind, all.begin() + last, isLeftOut)
               ? leftParenthesis
               : end;
  }

private:
  std::size_t plainEnd(const SourceTokens& tokens, std::size_t leftParenthesis) const {
    if (endOfMacro_)
      return *endOfMacro_;
    return definition_.getIdentifier() ? *begin_ + definition_.getName().size()
                                       : tokens.all()[leftParenthesis - 1].end();
  }

  const clang::FunctionDecl& definition_;
  std::optional<std::size_t> begin_, endOfMacro_;
};

} // namespace

SourcePlace placeOf(clang::SourceLocation location, const clang::SourceManager& sources) {
  const clang::PresumedLoc presumed = sources.getPresumedLoc(sources.getExpansionLoc(location));
  if (presumed.isInvalid())
    return {};
  return {presumed.getFilename(), presumed.getLine(), presumed.getColumn()};
}

std::optional<Refusal> readSignature(const clang::FunctionDecl& definition,
                                     const SourceTokens& tokens, const MacroUses& macros,
                                     KernelText& text) {
  const clang::SourceManager& sources = definition.getASTContext().getSourceManager();
  const SourcePlace where = placeOf(definition.getLocation(), sources);
  const auto refused = [&](RefusalCode code, std::string detail) {
    return std::optional<Refusal>(refuse(code, std::move(detail), where));
  };
  if (isHostLambda(definition))
    return readLambda(llvm::cast<clang::CXXMethodDecl>(definition), tokens, macros, text);
  const clang::FunctionTypeLoc type = definition.getFunctionTypeLoc();
  const clang::Stmt* const statement = definition.getBody();
  if (!type || (statement && !llvm::isa<clang::CompoundStmt>(statement)))
    return refused(RefusalCode::UnusualSignature, "no plain parameter list and body");
  const Offsets offsets(definition);
  const NamePlace name(definition, offsets, macros);
  const std::optional<std::size_t> left = offsets.plain(type.getLParenLoc()),
                                   right = offsets.plain(type.getRParenLoc()),
                                   first = beginOf(definition, offsets, tokens);
  const auto body = right ? bodyOf(definition, offsets, tokens, *right) : std::nullopt;
  if (right && !body && !definition.isThisDeclarationADefinition())
    return refused(RefusalCode::UnusualSignature, "");
  if (!name.begin() || !left || !body || !first)
    return refused(RefusalCode::KernelFromMacro, "");
  text.nameBegin = text.specifiersEnd = *name.begin();
  text.nameEnd = name.end(tokens, *left);
  if (definition.getQualifier() && !readQualifier(definition, offsets, text))
    return refused(RefusalCode::QualifiedDefinition, "");
  text.leftParenthesis = *left;
  text.rightParenthesis = *right;
  std::tie(text.bodyBegin, text.bodyEnd) = *body;
  text.signatureBegin = text.templateBegin = tokens.beginOfConditions(*first, text.nameEnd);
  const clang::FunctionTemplateDecl* const described = definition.getDescribedFunctionTemplate();
  if (described && described->isAbbreviated())
    return refused(RefusalCode::UnusualSignature, "a parameter is declared auto");
  if (!readHeaders(definition, offsets, tokens, text))
    return refused(RefusalCode::KernelFromMacro, "its template header does");
  if (!canBeCopied(definition, tokens, text))
    return refused(RefusalCode::DirectiveInSignature, "");
  if (!readParameters(definition, offsets, tokens, macros, text))
    return refused(RefusalCode::KernelFromMacro, "a parameter does");
  readReturnType(definition, offsets, tokens, macros, text);
  text.hasTrailingReturn = hasToken(tokens, text.rightParenthesis, text.bodyBegin, "->");
  if (definition.isVariadic() || hasToken(tokens, text.rightParenthesis, text.bodyBegin, "try") ||
      text.signatureBegin >= text.nameBegin)
    return refused(RefusalCode::UnusualSignature, "");
  if (statement && definition.hasAttr<clang::CUDAGlobalAttr>())
    noteReferable(definition, tokens, text);
  return std::nullopt;
}

} // namespace gpusched::passes
