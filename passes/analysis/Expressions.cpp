// Expressions.cpp - answers from one expression, without what is around it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Expressions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLExtras.h"

namespace gpusched::passes {
namespace {

/// static_assert and names of types.
bool doesNothing(const clang::Stmt* statement) {
  const auto* declared = llvm::dyn_cast<clang::DeclStmt>(statement);
  return declared && llvm::all_of(declared->decls(), [](const clang::Decl* declaration) {
           return llvm::isa<clang::StaticAssertDecl, clang::TypedefNameDecl>(declaration);
         });
}

} // namespace

bool isBuiltinAccessor(const clang::FunctionDecl& function) {
  return function.getIdentifier() && function.getName().starts_with("__fetch_builtin");
}

bool isSameExpression(const clang::Expr& a, const clang::Expr& b,
                      const clang::ASTContext& context) {
  llvm::FoldingSetNodeID first, second;
  a.IgnoreParenImpCasts()->Profile(first, context, true);
  b.IgnoreParenImpCasts()->Profile(second, context, true);
  return first == second;
}

bool isConstReference(clang::QualType type) {
  return type->isReferenceType() && type.getNonReferenceType().isConstQualified();
}

std::string recordName(clang::QualType type) {
  const clang::CXXRecordDecl* const record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record ? record->getNameAsString() : std::string();
}

const clang::VarDecl* variableOf(const clang::Expr& expression) {
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenImpCasts());
  return reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

const clang::CallExpr* callOf(const clang::Expr& expression, llvm::StringRef function) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(expression.IgnoreParenImpCasts());
  const clang::FunctionDecl* const callee = call ? call->getDirectCallee() : nullptr;
  return callee && callee->getNameAsString() == function ? call : nullptr;
}

const clang::Expr* onlyReturned(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* definition = nullptr;
  if (!function.hasBody(definition))
    return nullptr;
  const auto* body = llvm::dyn_cast<clang::CompoundStmt>(definition->getBody());
  const auto* only =
      body && body->size() > 0 ? llvm::dyn_cast<clang::ReturnStmt>(body->body_back()) : nullptr;
  return only && llvm::all_of(llvm::drop_end(body->body()), doesNothing) ? only->getRetValue()
                                                                         : nullptr;
}

const clang::VarDecl* localOrParameterOf(const clang::Expr& expression) {
  const clang::VarDecl* const variable = variableOf(expression);
  return variable && variable->isLocalVarDeclOrParm() ? variable : nullptr;
}

} // namespace gpusched::passes
