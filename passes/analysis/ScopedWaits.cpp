// ScopedWaits.cpp - reads the scope from template arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/ScopedWaits.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

namespace gpusched::passes {
namespace {

constexpr int kBlockScope = 2; // of cuda::thread_scope; wider ones are less

bool isWideTag(const clang::TemplateArgument& argument) {
  const clang::CXXRecordDecl* const tag = argument.getKind() == clang::TemplateArgument::Type
                                              ? argument.getAsType()->getAsCXXRecordDecl()
                                              : nullptr;
  const std::string name = tag ? tag->getNameAsString() : std::string();
  return name == "__thread_scope_system_tag" || name == "__thread_scope_device_tag" ||
         name == "__thread_scope_cluster_tag";
}

bool isWideScope(const clang::TemplateArgument& argument) {
  if (argument.getKind() != clang::TemplateArgument::Integral)
    return false;
  const auto* const type = argument.getIntegralType()->getAs<clang::EnumType>();
  return type && type->getDecl()->getName() == "thread_scope" &&
         argument.getAsIntegral() < kBlockScope;
}

bool isOfWideClass(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  const auto* instance =
      method ? llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(method->getParent())
             : nullptr;
  return instance && llvm::any_of(instance->getTemplateArgs().asArray(), isWideScope);
}

} // namespace

bool waitsBeyondBlock(const clang::FunctionDecl& callee, const clang::FunctionDecl& caller) {
  if (!callee.getIdentifier())
    return false;
  if (callee.getName() == "__cccl_thread_poll_with_backoff")
    return isOfWideClass(caller);
  const clang::TemplateArgumentList* const arguments = callee.getTemplateSpecializationArgs();
  return callee.getName() == "__atomic_wait" && arguments &&
         llvm::any_of(arguments->asArray(), isWideTag);
}

} // namespace gpusched::passes
