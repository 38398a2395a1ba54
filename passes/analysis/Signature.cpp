// Signature.cpp - AST locations to byte offsets, with every form that is not taken refused.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// extern "C" without braces: Clang's declaration begins after it, so the start is the linkage
// specification's. Unnamed parameters get a name of ours at the place where Clang would have
// found one. Does not look at what the body does.
#include "passes/analysis/Signature.h"

#include "passes/Refusals.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Stmt.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/SourceManager.h"

#include <algorithm>

namespace gpusched::passes {
namespace {

/// Offset in the main file of a location that no macro made.
std::optional<std::size_t> offsetOf(clang::SourceLocation location,
                                    const clang::SourceManager& sources) {
  if (location.isInvalid() || location.isMacroID() || !sources.isInMainFile(location))
    return std::nullopt;
  return sources.getFileOffset(location);
}

std::size_t expansionOffset(clang::SourceLocation location, const clang::SourceManager& sources) {
  return sources.getFileOffset(sources.getExpansionLoc(location));
}

/// The first byte of the declaration: specifiers, attributes, extern "C".
std::size_t beginOf(const clang::FunctionDecl& definition, const clang::SourceManager& sources) {
  std::size_t begin = expansionOffset(definition.getOuterLocStart(), sources);
  if (definition.getDescribedFunctionTemplate())
    begin = expansionOffset(definition.getInnerLocStart(), sources);
  for (const clang::Attr* attribute : definition.attrs())
    if (!attribute->isImplicit() && !attribute->isInherited() &&
        attribute->getLocation().isValid() &&
        sources.isInMainFile(sources.getExpansionLoc(attribute->getLocation())))
      begin = std::min(begin, expansionOffset(attribute->getLocation(), sources));
  const auto* linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(definition.getLexicalDeclContext());
  if (linkage && !linkage->hasBraces())
    begin = std::min(begin, expansionOffset(linkage->getExternLoc(), sources));
  return begin;
}

std::string madeUpName(const char* kind, std::size_t index) {
  return std::string("gpusched_") + kind + std::to_string(index);
}

bool readTemplateParameters(const clang::TemplateParameterList& list,
                            const clang::SourceManager& sources, KernelText& text) {
  for (const clang::NamedDecl* declared : list) {
    KernelTemplateParameter parameter;
    parameter.name = declared->getNameAsString();
    parameter.unnamed = parameter.name.empty();
    parameter.pack = declared->isTemplateParameterPack();
    if (parameter.unnamed) {
      const std::optional<std::size_t> place = offsetOf(declared->getLocation(), sources);
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
    if (tokens.text(index) == word)
      return true;
  return false;
}

bool readParameters(const clang::FunctionDecl& definition, const clang::SourceManager& sources,
                    const SourceTokens& tokens, KernelText& text) {
  for (const clang::ParmVarDecl* declared : definition.parameters()) {
    KernelParameter parameter;
    parameter.name = declared->getNameAsString();
    parameter.unnamed = parameter.name.empty();
    parameter.pack = declared->isParameterPack();
    parameter.gridConstant = declared->hasAttr<clang::CUDAGridConstantAttr>();
    const std::optional<std::size_t> place = offsetOf(declared->getLocation(), sources);
    if (!place && (parameter.unnamed || parameter.gridConstant))
      return false;
    if (parameter.gridConstant &&
        !hasToken(tokens, text.leftParenthesis, *place, "__grid_constant__"))
      return false;
    parameter.nameOffset = place.value_or(0);
    if (parameter.unnamed)
      parameter.name = madeUpName("p", text.parameters.size());
    text.parameters.push_back(parameter);
  }
  return true;
}

/// Is `offset` inside #if ... #endif whose condition names the architecture?
bool dependsOnArchitecture(const SourceTokens& tokens, std::size_t offset) {
  std::vector<bool> open;
  const std::vector<SourceToken>& all = tokens.all();
  for (std::size_t index = 0; index + 1 < all.size() && all[index].offset < offset; ++index) {
    if (!all[index].inDirective || tokens.text(index) != "#" ||
        (index > 0 && all[index - 1].inDirective && all[index].offset == all[index - 1].end()))
      continue;
    const std::string_view word = tokens.text(index + 1);
    if (word == "endif" && !open.empty())
      open.pop_back();
    if (word == "if" || word == "ifdef" || word == "ifndef")
      open.push_back(false);
    if (word == "endif" || word == "else" || open.empty())
      continue;
    for (std::size_t next = index + 1;
         next < all.size() && all[next].inDirective && tokens.text(next) != "#"; ++next)
      if (tokens.text(next).find("__CUDA_ARCH") != std::string_view::npos)
        open.back() = true;
  }
  return std::find(open.begin(), open.end(), true) != open.end();
}

} // namespace

SourcePlace placeOf(clang::SourceLocation location, const clang::SourceManager& sources) {
  const clang::PresumedLoc presumed = sources.getPresumedLoc(sources.getExpansionLoc(location));
  if (presumed.isInvalid())
    return {};
  return {presumed.getFilename(), presumed.getLine(), presumed.getColumn()};
}

std::optional<Refusal> readSignature(const clang::FunctionDecl& definition,
                                     const SourceTokens& tokens, KernelText& text) {
  const clang::SourceManager& sources = definition.getASTContext().getSourceManager();
  const SourcePlace where = placeOf(definition.getLocation(), sources);
  const auto refused = [&](RefusalCode code, std::string detail) {
    return std::optional<Refusal>(refuse(code, std::move(detail), where));
  };
  const clang::FunctionTypeLoc type = definition.getFunctionTypeLoc();
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(definition.getBody());
  if (!type || !body)
    return refused(RefusalCode::UnusualSignature, "no plain parameter list and body");
  const std::optional<std::size_t> name = offsetOf(definition.getLocation(), sources),
                                   left = offsetOf(type.getLParenLoc(), sources),
                                   right = offsetOf(type.getRParenLoc(), sources),
                                   brace = offsetOf(body->getLBracLoc(), sources),
                                   end = offsetOf(body->getRBracLoc(), sources);
  if (!name || !left || !right || !brace || !end)
    return refused(RefusalCode::KernelFromMacro, "");
  if (definition.getQualifier())
    return refused(RefusalCode::QualifiedDefinition, "");
  text.nameBegin = *name;
  text.nameEnd = *name + definition.getNameAsString().size();
  text.leftParenthesis = *left;
  text.rightParenthesis = *right;
  text.bodyBegin = *brace;
  text.bodyEnd = *end + 1;
  text.signatureBegin = text.templateBegin = beginOf(definition, sources);
  if (const clang::FunctionTemplateDecl* const described =
          definition.getDescribedFunctionTemplate()) {
    const clang::TemplateParameterList& list = *described->getTemplateParameters();
    const std::optional<std::size_t> begin = offsetOf(list.getTemplateLoc(), sources);
    if (!begin || !readTemplateParameters(list, sources, text))
      return refused(RefusalCode::KernelFromMacro, "its template header does");
    text.isTemplate = true;
    text.templateBegin = *begin;
  }
  if (tokens.hasDirective(text.templateBegin, text.bodyBegin))
    return refused(RefusalCode::DirectiveInSignature, "");
  if (dependsOnArchitecture(tokens, text.nameBegin))
    return refused(RefusalCode::ArchitectureConditional, "");
  if (!readParameters(definition, sources, tokens, text))
    return refused(RefusalCode::KernelFromMacro, "a parameter does");
  if (definition.isVariadic() || hasToken(tokens, text.rightParenthesis, text.bodyBegin, "->") ||
      hasToken(tokens, text.rightParenthesis, text.bodyBegin, "try") ||
      text.signatureBegin >= text.nameBegin)
    return refused(RefusalCode::UnusualSignature, "");
  return std::nullopt;
}

} // namespace gpusched::passes
