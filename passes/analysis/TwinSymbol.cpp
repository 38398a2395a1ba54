// TwinSymbol.cpp - builds the twin's declaration and mangles it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instantiation's name spells the template's own parameter types (T, not float), so the twin
// of an instantiation needs a template declaration as well. The declarations are not added to any
// scope: nothing else ever sees them.
#include "passes/analysis/TwinSymbol.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"

#include <vector>

namespace gpusched::passes {
namespace {

clang::QualType paramsType(clang::ASTContext& context) {
  clang::TranslationUnitDecl* const unit = context.getTranslationUnitDecl();
  clang::IdentifierInfo& name = context.Idents.get("gpusched_params");
  for (clang::NamedDecl* declared : unit->lookup(&name))
    if (auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(declared))
      return context.getCanonicalTagType(record);
  auto* record =
      clang::CXXRecordDecl::Create(context, clang::TagTypeKind::Struct, unit,
                                   clang::SourceLocation(), clang::SourceLocation(), &name);
  unit->addDecl(record);
  return context.getCanonicalTagType(record);
}

/// A function like `model`, external, with another name and perhaps one more parameter in front.
/// External because nvcc mangles a static kernel like any other.
clang::FunctionDecl* declareLike(const clang::FunctionDecl& model, const std::string& name,
                                 bool withParams, bool returnsVoid) {
  clang::ASTContext& context = model.getASTContext();
  const auto* prototype = model.getType()->castAs<clang::FunctionProtoType>();
  std::vector<clang::QualType> types;
  if (withParams)
    types.push_back(paramsType(context));
  types.insert(types.end(), prototype->param_type_begin(), prototype->param_type_end());
  clang::FunctionProtoType::ExtProtoInfo info = prototype->getExtProtoInfo();
  info.ExtParameterInfos = nullptr;
  clang::FunctionDecl* const declared = clang::FunctionDecl::Create(
      context, const_cast<clang::DeclContext*>(model.getDeclContext()), clang::SourceLocation(),
      clang::SourceLocation(), &context.Idents.get(name),
      context.getFunctionType(returnsVoid ? context.VoidTy : prototype->getReturnType(), types,
                              info),
      nullptr, clang::SC_None);
  std::vector<clang::ParmVarDecl*> parameters;
  for (const clang::QualType& parameter : types)
    parameters.push_back(clang::ParmVarDecl::Create(context, declared, clang::SourceLocation(),
                                                    clang::SourceLocation(), nullptr, parameter,
                                                    nullptr, clang::SC_None, nullptr));
  declared->setParams(parameters);
  return declared;
}

std::string symbol(const clang::FunctionDecl& kernel, const std::string& name, bool withParams,
                   bool returnsVoid) {
  if (kernel.isExternC())
    return name;
  clang::ASTContext& context = kernel.getASTContext();
  clang::FunctionDecl* const declared = declareLike(kernel, name, withParams, returnsVoid);
  const bool plainTwin =
      withParams && kernel.getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization;
  const clang::FunctionTemplateDecl* const primary =
      plainTwin ? nullptr : kernel.getPrimaryTemplate();
  if (primary) {
    clang::FunctionDecl* const pattern =
        declareLike(*primary->getTemplatedDecl(), name, withParams, returnsVoid);
    clang::FunctionTemplateDecl* const described = clang::FunctionTemplateDecl::Create(
        context, pattern->getDeclContext(), clang::SourceLocation(), pattern->getDeclName(),
        primary->getTemplateParameters(), pattern);
    pattern->setDescribedFunctionTemplate(described);
    declared->setFunctionTemplateSpecialization(
        described,
        clang::TemplateArgumentList::CreateCopy(context,
                                                kernel.getTemplateSpecializationArgs()->asArray()),
        nullptr);
  }
  return clang::ASTNameGenerator(context).getName(declared);
}

} // namespace

std::string nativeSymbol(const clang::FunctionDecl& kernel) {
  return symbol(kernel, kernel.getNameAsString(), false, false);
}

std::string twinSymbol(const clang::FunctionDecl& kernel, const std::string& name,
                       bool returnsVoid) {
  return symbol(kernel, name, true, returnsVoid);
}

} // namespace gpusched::passes
