// ArgumentCopies.cpp - the constructors that a variable's name may choose.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/ArgumentCopies.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

namespace gpusched::passes {
namespace {

/// template <class U> T(U&&): goes before T(const T&) where the argument is a variable.
bool takesAnything(const clang::Decl* declared) {
  const auto* described = llvm::dyn_cast<clang::FunctionTemplateDecl>(declared);
  const clang::FunctionDecl* const function = described ? described->getTemplatedDecl() : nullptr;
  if (!llvm::isa_and_nonnull<clang::CXXConstructorDecl>(function) || function->param_empty())
    return false;
  clang::QualType first = function->getParamDecl(0)->getType();
  if (const auto* pack = first->getAs<clang::PackExpansionType>())
    first = pack->getPattern();
  return first->isReferenceType() && !first->getPointeeType().isConstQualified() &&
         first->getPointeeType()->isTemplateTypeParmType();
}

bool isDeletedCopy(const clang::CXXConstructorDecl* constructor) {
  return constructor->isCopyConstructor() && constructor->isDeleted();
}

} // namespace

bool copiesLikeBits(clang::QualType type) {
  const clang::CXXRecordDecl* const record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return !record || !record->hasDefinition() ||
         (record->hasTrivialCopyConstructor() && record->hasTrivialDestructor() &&
          !record->defaultedCopyConstructorIsDeleted() &&
          llvm::none_of(record->ctors(), isDeletedCopy) &&
          llvm::none_of(record->decls(), takesAnything));
}

} // namespace gpusched::passes
