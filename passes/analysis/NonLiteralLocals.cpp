// NonLiteralLocals.cpp - finds the functions around the places that Clang's errors name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost: nothing without such an error; else one walk over the declarations of the outermost
// declaration around it.
#include "passes/analysis/NonLiteralLocals.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"

namespace gpusched::passes {

bool NonLiteralLocals::note(const clang::Diagnostic& diagnostic) {
  if (diagnostic.getID() != clang::diag::err_constexpr_local_var_non_literal_type)
    return false;
  places_.push_back(diagnostic.getLocation());
  return true;
}

void NonLiteralLocals::giveBackFunction(clang::FunctionDecl& function) {
  const clang::SourceManager& sources = function.getASTContext().getSourceManager();
  const auto isInside = [&](clang::SourceLocation place) {
    return sources.isPointWithin(place, function.getBeginLoc(), function.getEndLoc());
  };
  if (function.isConstexpr() && std::erase_if(places_, isInside) > 0)
    function.setInvalidDecl(false);
}

void NonLiteralLocals::giveBack(clang::Decl& read) {
  if (places_.empty())
    return;
  if (clang::FunctionDecl* const function = read.getAsFunction())
    return giveBackFunction(*function);
  if (const auto* const made = llvm::dyn_cast<clang::ClassTemplateDecl>(&read))
    return giveBack(*made->getTemplatedDecl());
  if (const auto* const scope = llvm::dyn_cast<clang::DeclContext>(&read))
    for (clang::Decl* const member : scope->decls())
      giveBack(*member);
}

} // namespace gpusched::passes
