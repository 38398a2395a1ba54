// TypeMentions.h - what is named in a type, or in an operand that is not evaluated.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   decltype(f(1)) v;   // f: an object in its place would have to have the same type
#pragma once

#include "passes/analysis/OtherNames.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"

#include <vector>

namespace gpusched::passes {

class TypeMentions : public clang::DynamicRecursiveASTVisitor {
public:
  TypeMentions(std::vector<const clang::FunctionDecl*>& functions, Names& others)
      : functions_(functions), others_(others) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) override {
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()))
      functions_.push_back(function);
    addOtherName(*reference, others_);
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* member) override {
    addOtherName(*member, others_);
    return true;
  }
  bool VisitSubstNonTypeTemplateParmExpr(clang::SubstNonTypeTemplateParmExpr* value) override {
    addOtherName(*value, others_);
    return true;
  }
  bool VisitTypeLoc(clang::TypeLoc type) override {
    addOtherName(type, others_);
    return true;
  }

  /// Called through its type, it runs all the same.
  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) override {
    lambdas.push_back(lambda);
    return true;
  }

  std::vector<clang::LambdaExpr*> lambdas;

private:
  std::vector<const clang::FunctionDecl*>& functions_;
  Names& others_;
};

} // namespace gpusched::passes
