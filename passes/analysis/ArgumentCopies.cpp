// ArgumentCopies.cpp - the constructors that a variable's name may choose.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/ArgumentCopies.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

namespace gpusched::passes {
namespace {

/// template <class U> T(U&&): goes before T(const T&) where the argument is a variable, unless it
/// is explicit, which no parameter is made with.
bool takesAnything(const clang::Decl* declared) {
  const auto* described = llvm::dyn_cast<clang::FunctionTemplateDecl>(declared);
  const auto* constructor = llvm::dyn_cast_or_null<clang::CXXConstructorDecl>(
      described ? described->getTemplatedDecl() : nullptr);
  if (!constructor || constructor->param_empty() || constructor->isExplicit())
    return false;
  clang::QualType first = constructor->getParamDecl(0)->getType();
  if (const auto* pack = first->getAs<clang::PackExpansionType>())
    first = pack->getPattern();
  return first->isReferenceType() && !first->getPointeeType().isConstQualified() &&
         first->getPointeeType()->isTemplateTypeParmType();
}

bool isDeletedCopy(const clang::CXXConstructorDecl* constructor) {
  return constructor->isCopyConstructor() && constructor->isDeleted();
}

/// Can device code anywhere copy with it, without asking?
bool isForDevices(const clang::CXXConstructorDecl& copy) {
  return copy.hasAttr<clang::CUDADeviceAttr>() && copy.getAccess() == clang::AS_public &&
         !copy.isExplicit() && copy.getNumParams() == 1;
}

/// The only copy constructor, if it is written and could not take anything else.
const clang::CXXConstructorDecl* writtenCopyConstructor(const clang::CXXRecordDecl& record) {
  const clang::CXXConstructorDecl* found = nullptr;
  for (const clang::CXXConstructorDecl* constructor : record.ctors())
    if (constructor->isCopyConstructor()) {
      if (found)
        return nullptr;
      found = constructor;
    }
  const clang::FunctionDecl* definition = nullptr;
  if (!found || found->isDeleted() || !isForDevices(*found) || !found->hasBody(definition))
    return nullptr;
  return llvm::cast<clang::CXXConstructorDecl>(definition);
}

bool isHarmless(clang::QualType type) {
  return !type.isVolatileQualified() &&
         (type->isScalarType() || (type->isRecordType() && copiesLikeBits(type)) ||
          copiesItsMembers(type));
}

/// What is copied when `value` initialises something: of a class, what its copy constructor takes.
const clang::Expr* copiedBy(const clang::Expr* value) {
  value = value->IgnoreParenImpCasts();
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(value))
    return list->getNumInits() == 1 ? copiedBy(list->getInit(0)) : nullptr;
  const auto* construction = llvm::dyn_cast<clang::CXXConstructExpr>(value);
  if (!construction)
    return value;
  return construction->getConstructor()->isCopyConstructor()
             ? construction->getArg(0)->IgnoreParenImpCasts()
             : nullptr;
}

/// base(v) or member(v.member)
bool copiesTheSame(const clang::CXXCtorInitializer& initializer, const clang::ParmVarDecl& from) {
  const clang::Expr* copied = copiedBy(initializer.getInit());
  if (initializer.isMemberInitializer()) {
    const auto* member = llvm::dyn_cast_or_null<clang::MemberExpr>(copied);
    if (!member || member->getMemberDecl() != initializer.getMember() ||
        !isHarmless(initializer.getMember()->getType()))
      return false;
    copied = member->getBase()->IgnoreParenImpCasts();
  } else if (!initializer.isBaseInitializer() || initializer.isBaseVirtual() ||
             !isHarmless(clang::QualType(initializer.getBaseClass(), 0))) {
    return false;
  }
  const auto* name = llvm::dyn_cast_or_null<clang::DeclRefExpr>(copied);
  return name && name->getDecl() == &from;
}

/// As the compiler does it, with what its bases and members have.
bool copiesImplicitly(const clang::CXXRecordDecl& record) {
  const auto isHarmlessMember = [](const clang::FieldDecl* member) {
    return !member->getType()->isArrayType() && isHarmless(member->getType());
  };
  return !record.hasUserDeclaredMoveOperation() && !record.defaultedCopyConstructorIsDeleted() &&
         record.getNumVBases() == 0 &&
         llvm::all_of(
             record.bases(),
             [](const clang::CXXBaseSpecifier& base) { return isHarmless(base.getType()); }) &&
         llvm::all_of(record.fields(), isHarmlessMember);
}

/// Null for what is no class, or none that is defined here.
const clang::CXXRecordDecl* recordOf(clang::QualType type) {
  const clang::CXXRecordDecl* const record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return record && record->hasDefinition() ? record : nullptr;
}

bool isTrivial(const clang::CXXRecordDecl& record) {
  return record.hasTrivialCopyConstructor() && record.hasTrivialDestructor() &&
         !record.defaultedCopyConstructorIsDeleted() &&
         llvm::none_of(record.ctors(), isDeletedCopy);
}

} // namespace

bool copiesItsMembers(clang::QualType type) {
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record || record->isUnion() || record->isPolymorphic() || record->isLambda() ||
      record->isDependentContext() || !record->hasTrivialDestructor() ||
      llvm::any_of(record->decls(), takesAnything))
    return false;
  if (!record->hasUserDeclaredCopyConstructor())
    return copiesImplicitly(*record);
  const clang::CXXConstructorDecl* const copy = writtenCopyConstructor(*record);
  const auto* body = copy ? llvm::dyn_cast<clang::CompoundStmt>(copy->getBody()) : nullptr;
  const auto copiesFromArgument = [&](const clang::CXXCtorInitializer* initializer) {
    return copiesTheSame(*initializer, *copy->getParamDecl(0));
  };
  const auto bases = static_cast<std::size_t>(record->getNumBases());
  const auto members = static_cast<std::size_t>(llvm::range_size(record->fields()));
  return body && body->body_empty() && copy->getNumCtorInitializers() == bases + members &&
         llvm::all_of(copy->inits(), copiesFromArgument);
}

bool copiesLikeBits(clang::QualType type) {
  const clang::CXXRecordDecl* const record = recordOf(type);
  return !record || (isTrivial(*record) && llvm::none_of(record->decls(), takesAnything));
}

bool copiesAsConstant(clang::QualType type) {
  const clang::CXXRecordDecl* const record = recordOf(type);
  return record && isTrivial(*record) && llvm::any_of(record->decls(), takesAnything);
}

} // namespace gpusched::passes
