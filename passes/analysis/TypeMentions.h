// TypeMentions.h - the functions that are named in an operand which is not evaluated.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   decltype(f(1)) v;   // f: an object in its place would have to have the same type
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/RecursiveASTVisitor.h"

#include <vector>

namespace gpusched::passes {

/// The functions that an operand names.
class TypeMentions : public clang::RecursiveASTVisitor<TypeMentions> {
public:
  explicit TypeMentions(std::vector<const clang::FunctionDecl*>& found) : found_(found) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()))
      found_.push_back(function);
    return true;
  }

private:
  std::vector<const clang::FunctionDecl*>& found_;
};

} // namespace gpusched::passes
