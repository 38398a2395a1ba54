// ObjectPlaces.cpp - VirtualFunctions: where the objects of functions stand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At the definition of the function, or behind its first declaration, where callers before the
// definition see it too. There what the object holds must be known. If it is not, and no more than
// the values of default arguments has to come along, the object stands at the definition after all
// (another round), for callers behind it.
#include "passes/Refusals.h"
#include "passes/analysis/CalleeForms.h"
#include "passes/analysis/VirtualFunctions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

namespace gpusched::passes {
namespace {

bool hasWord(const SourceTokens& tokens, std::size_t begin, std::size_t end,
             std::string_view word) {
  for (std::size_t index = tokens.at(begin); tokens.all()[index].offset < end; ++index)
    if (tokens.text(index) == word)
      return true;
  return false;
}

/// A macro may say `static` or `extern`, which the text has to be without.
bool hidesSpecifier(const clang::FunctionDecl& function, const SourceTokens& tokens,
                    const KernelText& text) {
  return function.getStorageClass() != clang::SC_None &&
         !hasWord(tokens, text.signatureBegin, text.nameBegin,
                  function.getStorageClass() == clang::SC_Static ? "static" : "extern");
}

/// A value that means the same at every place.
bool isLiteral(const clang::Expr& value) {
  const clang::Expr* written = value.IgnoreImplicit();
  if (const auto* sign = llvm::dyn_cast<clang::UnaryOperator>(written))
    written = sign->getSubExpr()->IgnoreImplicit();
  return llvm::isa<clang::IntegerLiteral, clang::FloatingLiteral, clang::CXXBoolLiteralExpr,
                   clang::CXXNullPtrLiteralExpr>(written);
}

/// The default arguments that the definition has from a declaration, by the ends of their
/// parameters; none where one of them is more than a value.
std::optional<std::map<std::size_t, std::string>>
defaultsOf(const clang::FunctionDecl& definition) {
  const clang::SourceManager& sources = definition.getASTContext().getSourceManager();
  const clang::LangOptions& language = definition.getASTContext().getLangOpts();
  std::map<std::size_t, std::string> defaults;
  for (const clang::ParmVarDecl* parameter : definition.parameters()) {
    if (!parameter->hasInheritedDefaultArg())
      continue;
    const clang::Expr* const value = parameter->getDefaultArg();
    const clang::SourceLocation last = parameter->getSourceRange().getEnd();
    if (!value || !isLiteral(*value) || value->getBeginLoc().isMacroID() ||
        value->getEndLoc().isMacroID() || last.isMacroID())
      return std::nullopt;
    const auto range = clang::CharSourceRange::getTokenRange(value->getSourceRange());
    defaults[sources.getFileOffset(clang::Lexer::getLocForEndOfToken(last, 0, sources, language))] =
        clang::Lexer::getSourceText(range, sources, language).str();
  }
  return defaults;
}

} // namespace

/// Does a text, with its end, come before its caller needs it?
bool VirtualFunctions::isKnown(const KernelText& text, const KernelText& caller) const {
  const auto [file, begin] = caller.neededAt.value_or(std::pair(caller.file, caller.templateBegin));
  return files_.isBefore(text.file, text.bodyEnd - 1, file, begin);
}

/// Notes what has to come along.
bool VirtualFunctions::standsAtDefinition(const clang::FunctionDecl& definition, KernelText& text,
                                          const KernelText& caller) {
  if (!isKnown(text, caller))
    return false;
  if (!belongsToDeclaration(definition))
    return true;
  if (inPlace_.count(&definition) == 0)
    return false;
  text.defaults = *defaultsOf(definition);
  return true;
}

/// The object of the caller stands behind its declaration, and the callee's does behind that.
void VirtualFunctions::wantCallerInPlace(const VirtualFunction& callee,
                                         const KernelText& callerText) {
  if (!callerText.neededAt)
    return;
  for (const auto& [definition, function] : functions_) {
    if (!function || !function->declaration || !function->has(callerText) ||
        !definition->hasBody() || definition->getQualifier() || !defaultsOf(*definition))
      continue;
    const KernelText& before = callee.declaration ? *callee.declaration : callee.text;
    if (files_.isBefore(before.file, before.bodyEnd - 1, function->text.file,
                        function->text.templateBegin))
      wantedInPlace_.insert(definition);
  }
}

/// Why the text of a function cannot be changed, or calls of it in the caller's; notes the latter.
std::optional<Refusal> VirtualFunctions::formRefusal(const FunctionUses& caller,
                                                     const CallSite& call, KernelText& callerText,
                                                     const VirtualFunction& function) {
  const KernelText& text = function.text;
  const SourceTokens& tokens = files_[text.file].tokens;
  const clang::FunctionDecl& definition = *function.definition;
  if ((!function.isMethod && !function.declaration && hidesSpecifier(definition, tokens, text)) ||
      hasWord(tokens, text.signatureBegin, text.nameBegin, "\"C\""))
    return refusal(call, "whose specifiers cannot be taken");
  if (!function.isMethod && !function.has(callerText) &&
      !isKnown(function.declaration ? *function.declaration : text, callerText)) {
    wantCallerInPlace(function, callerText);
    return refusal(call, "which is defined after its caller");
  }
  if (!function.isMethod && !addDecoratedCalls(caller, definition, callerText))
    return refusal(call, "which a macro calls with template arguments or a namespace");
  return std::nullopt;
}

/// Why the declaration of a member in its class cannot get a second one beside it, or one of a
/// function the type of its object; empty if it can.
std::string VirtualFunctions::addDeclaration(const clang::FunctionDecl& declaration,
                                             VirtualFunction& function) {
  const clang::SourceLocation where = declaration.getLocation();
  const std::optional<std::size_t> file = files_.numberOf(where);
  const bool isMember = function.isMethod;
  if (!isMember && (declaration.isThisDeclarationADefinition() || declaration.isExternC() ||
                    !declaration.getLexicalDeclContext()->isFileContext()))
    return "which is defined after its caller";
  if (!file)
    return "whose declaration is in a file that cannot be rewritten";
  if (files_.dependsOnArchitecture(where))
    return "whose declaration depends on __CUDA_ARCH__";
  KernelText text;
  text.file = *file;
  text.isMember = isMember;
  if (const std::optional<Refusal> form = macros_.readSignature(declaration, files_, text))
    return "whose declaration cannot be repeated: " + form->title;
  if (!isMember && hidesSpecifier(declaration, files_[text.file].tokens, text))
    return "whose declaration has specifiers that cannot be taken";
  if (!isMember)
    function.text.neededAt = std::pair(text.file, text.templateBegin);
  function.declaration = std::move(text);
  return "";
}

} // namespace gpusched::passes
