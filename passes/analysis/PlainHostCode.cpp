// PlainHostCode.cpp - a closure over the texts of callees, each looked at once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/PlainHostCode.h"

#include "clang/Basic/SourceManager.h"

namespace gpusched::passes {
namespace {

/// What no text says, or what may take as long as a kernel.
bool isNeverPlain(const clang::Stmt& statement) {
  const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
  if (expression && expression->isInstantiationDependent())
    return true;
  return llvm::isa<clang::CXXNewExpr, clang::CXXDeleteExpr, clang::CXXBindTemporaryExpr,
                   clang::CXXInheritedCtorInitExpr, clang::CXXThrowExpr, clang::CXXTryStmt,
                   clang::LambdaExpr, clang::StmtExpr, clang::CoawaitExpr, clang::AsmStmt,
                   clang::WhileStmt, clang::DoStmt, clang::ForStmt, clang::CXXForRangeStmt,
                   clang::GotoStmt, clang::IndirectGotoStmt>(&statement);
}

/// "values.size()" and "values[i]" of std::vector, whose text a parse may leave out.
bool asksContainer(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (!method || !method->getParent()->isInStdNamespace())
    return false;
  if (const clang::IdentifierInfo* const name = function.getIdentifier())
    return name->getName() == "data" || name->getName() == "size" || name->getName() == "get" ||
           name->getName() == "empty";
  const clang::OverloadedOperatorKind kind = function.getOverloadedOperator();
  return kind == clang::OO_Subscript || kind == clang::OO_Star || kind == clang::OO_Arrow;
}

} // namespace

bool PlainHostCode::isPlain(const clang::Stmt& statement) {
  if (isNeverPlain(statement))
    return false;
  if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&statement))
    return isPlain(*declaration);
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement))
    if (!call->getDirectCallee() || !isPlain(*call->getDirectCallee()))
      return false;
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&statement))
    if (!isPlain(*made))
      return false;
  return llvm::all_of(statement.children(),
                      [this](const clang::Stmt* child) { return !child || isPlain(*child); });
}

bool PlainHostCode::isPlain(const clang::DeclStmt& declaration) {
  return llvm::all_of(declaration.decls(), [this](const clang::Decl* declared) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
    if (!variable)
      return llvm::isa<clang::TypedefNameDecl, clang::StaticAssertDecl>(declared);
    return !variable->isStaticLocal() && !variable->getType()->isDependentType() &&
           !variable->needsDestruction(variable->getASTContext()) &&
           (!variable->getInit() || isPlain(*variable->getInit()));
  });
}

/// A class that copies members and no more is asked nothing.
bool PlainHostCode::isPlain(const clang::CXXConstructExpr& made) {
  return made.getConstructor()->isTrivial() || isPlain(*made.getConstructor());
}

bool PlainHostCode::isPlain(const clang::FunctionDecl& function) {
  if (isOfLibrary(function))
    return true;
  const auto [known, isNew] = functions_.try_emplace(function.getCanonicalDecl(), false);
  if (isNew)
    known->second = hasPlainText(function);
  return known->second;
}

bool PlainHostCode::hasPlainText(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* definition = nullptr;
  if (!function.hasBody(definition) || definition->isDependentContext())
    return false;
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
      method && method->isVirtual())
    return false;
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(definition))
    for (const clang::CXXCtorInitializer* initialiser : constructor->inits())
      if (!initialiser->getInit() || !isPlain(*initialiser->getInit()))
        return false;
  return isPlain(*definition->getBody());
}

/// One that computes a value: dim3(), std::min(), make_float4().
bool PlainHostCode::isOfLibrary(const clang::FunctionDecl& function) const {
  const clang::IdentifierInfo* const name = function.getIdentifier();
  const bool makes = name && name->getName().starts_with("make_") &&
                     function.getDeclContext()->isTranslationUnit();
  return (function.isConstexpr() || makes || asksContainer(function)) &&
         sources_.isInSystemHeader(sources_.getExpansionLoc(function.getLocation()));
}

} // namespace gpusched::passes
