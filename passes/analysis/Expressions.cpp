// Expressions.cpp - answers from one expression, without what is around it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Expressions.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/FoldingSet.h"

namespace gpusched::passes {

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

} // namespace gpusched::passes
