// BuiltinVariables.cpp - known by name: nvcc takes no other variables of these outside namespaces.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/BuiltinVariables.h"

namespace gpusched::passes {

bool isBuiltinVariable(const clang::ValueDecl& variable) {
  const clang::IdentifierInfo* const name = variable.getIdentifier();
  return name && variable.getDeclContext()->getRedeclContext()->isTranslationUnit() &&
         (name->isStr("threadIdx") || name->isStr("blockIdx") || name->isStr("blockDim") ||
          name->isStr("gridDim"));
}

const clang::ValueDecl* builtinOf(const clang::MemberExpr& member) {
  const auto* base = llvm::dyn_cast<clang::DeclRefExpr>(member.getBase()->IgnoreParenImpCasts());
  return base && isBuiltinVariable(*base->getDecl()) ? base->getDecl() : nullptr;
}

} // namespace gpusched::passes
