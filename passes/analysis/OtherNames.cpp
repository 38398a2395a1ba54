// OtherNames.cpp - one name for each form of mention.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/OtherNames.h"

#include "passes/analysis/BuiltinVariables.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

namespace gpusched::passes {
namespace {

void add(const clang::NamedDecl* declared, Names& names) {
  if (declared && declared->getIdentifier())
    names.insert(declared->getNameAsString());
}

const clang::NamedDecl* declarationOf(clang::TypeLoc type) {
  if (const auto alias = type.getAs<clang::TypedefTypeLoc>())
    return alias.getDecl();
  if (const auto tag = type.getAs<clang::TagTypeLoc>())
    return tag.getDecl();
  if (const auto replaced = type.getAs<clang::SubstTemplateTypeParmTypeLoc>())
    return replaced.getTypePtr()->getReplacedParameter();
  if (const auto instance = type.getAs<clang::TemplateSpecializationTypeLoc>())
    return instance.getTypePtr()->getTemplateName().getAsTemplateDecl();
  if (const auto deduced = type.getAs<clang::DeducedTemplateSpecializationTypeLoc>())
    return deduced.getTypePtr()->getTemplateName().getAsTemplateDecl();
  return nullptr;
}

} // namespace

void addOtherName(const clang::DeclRefExpr& reference, Names& names) {
  const clang::ValueDecl& declared = *reference.getDecl();
  const bool isFree =
      llvm::isa<clang::FunctionDecl>(declared) && !llvm::isa<clang::CXXMethodDecl>(declared);
  if (!reference.hasQualifier() && !isFree && !isBuiltinVariable(declared))
    add(&declared, names);
}

void addOtherName(const clang::MemberExpr& member, Names& names) {
  if (member.isImplicitAccess() && !member.hasQualifier())
    add(member.getMemberDecl(), names);
}

void addOtherName(const clang::SubstNonTypeTemplateParmExpr& value, Names& names) {
  add(value.getParameter(), names);
}

void addOtherName(clang::TypeLoc type, Names& names) {
  add(declarationOf(type), names);
}

} // namespace gpusched::passes
