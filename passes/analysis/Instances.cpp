// Instances.cpp - patterns and their specialisations.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Instances.h"

namespace gpusched::passes {

const clang::FunctionDecl* textOf(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* const pattern = function.getTemplateInstantiationPattern();
  const clang::FunctionDecl* definition = nullptr;
  return (pattern ? pattern : &function)->hasBody(definition) ? definition : nullptr;
}

const clang::FunctionDecl* objectTextOf(const clang::FunctionDecl& function) {
  const clang::FunctionTemplateDecl* const primary = function.getPrimaryTemplate();
  if (!primary || llvm::isa<clang::CXXMethodDecl>(function) ||
      function.getTemplateSpecializationKind() != clang::TSK_ExplicitSpecialization)
    return textOf(function);
  const clang::FunctionDecl& pattern = *primary->getTemplatedDecl();
  const clang::FunctionDecl* const definition = textOf(pattern);
  return definition ? definition : pattern.getCanonicalDecl();
}

std::vector<const clang::FunctionDecl*> specialisationsOf(const clang::FunctionDecl& function) {
  const clang::FunctionTemplateDecl* described = function.getPrimaryTemplate();
  if (!described)
    described = function.getDescribedFunctionTemplate();
  std::vector<const clang::FunctionDecl*> found;
  if (described && !llvm::isa<clang::CXXMethodDecl>(function))
    for (const clang::FunctionDecl* instance : described->getCanonicalDecl()->specializations())
      if (instance->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
        found.push_back(instance);
  return found;
}

const clang::ClassTemplateDecl* templateOf(const clang::CXXRecordDecl& record) {
  if (const auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record))
    return instance->getSpecializedTemplate();
  return record.getDescribedClassTemplate();
}

std::vector<const clang::FunctionDecl*> instancesOf(const clang::FunctionDecl& definition) {
  std::vector<const clang::FunctionDecl*> found;
  const auto add = [&](const clang::FunctionDecl& instance) {
    if (textOf(instance) == &definition)
      found.push_back(&instance);
  };
  if (const clang::FunctionTemplateDecl* const described =
          definition.getDescribedFunctionTemplate())
    for (const clang::FunctionDecl* instance : described->getCanonicalDecl()->specializations())
      add(*instance);
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&definition);
  const clang::ClassTemplateDecl* const outer = method ? templateOf(*method->getParent()) : nullptr;
  if (!outer)
    return found;
  for (const clang::CXXRecordDecl* instance : outer->getCanonicalDecl()->specializations())
    for (const clang::Decl* member : instance->decls())
      if (const auto* described = llvm::dyn_cast<clang::FunctionTemplateDecl>(member))
        for (const clang::FunctionDecl* inner : described->specializations())
          add(*inner);
      else if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(member))
        add(*function);
  return found;
}

} // namespace gpusched::passes
