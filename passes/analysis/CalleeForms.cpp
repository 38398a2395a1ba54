// CalleeForms.cpp - questions to one declaration.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/CalleeForms.h"

#include "passes/analysis/ArgumentCopies.h"
#include "passes/analysis/Instances.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"

#include <algorithm>
#include <set>

namespace gpusched::passes {
namespace {

/// Does an instance of the class template have a text of its own for the member?
bool hasSpecialisedClass(const clang::CXXMethodDecl& definition) {
  const clang::ClassTemplateDecl* const described = templateOf(*definition.getParent());
  if (!described)
    return false;
  for (const clang::CXXRecordDecl* instance : described->getCanonicalDecl()->specializations())
    for (const clang::CXXMethodDecl* method : instance->methods())
      if (method->getDeclName() == definition.getDeclName() &&
          method->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
        return true;
  return false;
}

} // namespace

bool isOverloaded(const clang::FunctionDecl& function) {
  std::set<const clang::Decl*> found;
  for (const clang::NamedDecl* declared :
       function.getDeclContext()->getRedeclContext()->lookup(function.getDeclName()))
    found.insert(declared->getCanonicalDecl());
  return found.size() > 1;
}

bool isSharedByFiles(const clang::FunctionDecl& function) {
  return function.isExternallyVisible() &&
         (function.isInlined() || function.isTemplateInstantiation());
}

bool isSpecialisedMember(const clang::FunctionDecl& function) {
  const clang::FunctionTemplateDecl* const primary = function.getPrimaryTemplate();
  if (!primary || !llvm::isa<clang::CXXMethodDecl>(function))
    return false;
  for (const clang::FunctionDecl* instance : primary->specializations())
    if (instance->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
      return true;
  return false;
}

const char* specialisationObstacle(const clang::FunctionDecl& specialisation) {
  const clang::FunctionDecl* const definition = textOf(specialisation);
  if (!definition)
    return "which has a specialisation without text here";
  for (const clang::FunctionDecl* declared : specialisation.redecls())
    // Clang has a declaration of its own in front of the first written one, at the same place.
    if (declared->getLocation() != definition->getLocation())
      return "which has a specialisation that is declared before it is defined";
  return nullptr;
}

bool handsOn(const clang::FunctionDecl& function) {
  return llvm::all_of(function.parameters(), [](const clang::ParmVarDecl* parameter) {
    const clang::QualType type = parameter->getType();
    return type->isReferenceType() || copiesLikeBits(type) || copiesAsConstant(type) ||
           copiesItsMembers(type);
  });
}

const char* unnamedObstacle(const clang::FunctionDecl& callee) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&callee);
  if (callee.getIdentifier() || (method && callee.getOverloadedOperator() == clang::OO_Call) ||
      (constructor && !constructor->isCopyOrMoveConstructor()))
    return nullptr;
  return "which is an operator, a copy constructor or a conversion";
}

bool canShareObject(const clang::FunctionDecl& one, const clang::FunctionDecl& other) {
  return one.hasBody() && other.hasBody() &&
         one.getDeclContext()->getRedeclContext()->Equals(
             other.getDeclContext()->getRedeclContext());
}

bool isOnHost(const clang::FunctionDecl& definition) {
  return definition.hasAttr<clang::CUDAHostAttr>() || !definition.hasAttr<clang::CUDADeviceAttr>();
}

bool canBeOnHost(const clang::FunctionDecl& definition) {
  const auto* attribute = definition.getAttr<clang::CUDAHostAttr>();
  return !isOnHost(definition) ||
         (!definition.isConstexpr() && !(attribute && attribute->isImplicit()));
}

bool belongsToDeclaration(const clang::FunctionDecl& definition) {
  return !definition.hasBody() || definition.getQualifier() ||
         llvm::any_of(definition.parameters(), [](const clang::ParmVarDecl* parameter) {
           return parameter->hasInheritedDefaultArg();
         });
}

const char* methodObstacle(const clang::CXXMethodDecl& definition) {
  if (definition.isVirtual())
    return "which is virtual";
  // nvcc keeps the initialisers of its host form, and with them what a delegating one would pass.
  if (definition.isOutOfLine() && llvm::isa<clang::CXXConstructorDecl>(definition) &&
      !definition.isInlined() && !definition.isTemplated())
    return "which is a constructor defined outside its class, without inline";
  if (hasSpecialisedClass(definition))
    return "which has explicit specialisations";
  return definition.getParent()->isLocalClass() ? "which is a member of a local class" : nullptr;
}

} // namespace gpusched::passes
