// Destruction.cpp - a class's destructor, then those of its parts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The destructor that the language supplies has no calls in its body, so the parts are asked
// instead of it. A union ends none of its members.
#include "passes/analysis/Destruction.h"

#include "clang/AST/ASTContext.h"

namespace gpusched::passes {
namespace {

/// A reference is no class, so what it names is not asked.
void add(clang::QualType type, std::vector<const clang::CXXDestructorDecl*>& found) {
  const clang::CXXRecordDecl* const record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || record->hasTrivialDestructor())
    return;
  const clang::CXXDestructorDecl* const own = record->getDestructor();
  if (own && own->isUserProvided())
    found.push_back(own);
  if (record->isUnion())
    return;
  for (const clang::FieldDecl* field : record->fields())
    add(field->getType(), found);
  for (const clang::CXXBaseSpecifier& base : record->bases())
    add(base.getType(), found);
}

} // namespace

std::vector<const clang::CXXDestructorDecl*> destructorsOf(clang::QualType type) {
  std::vector<const clang::CXXDestructorDecl*> found;
  add(type, found);
  return found;
}

} // namespace gpusched::passes
