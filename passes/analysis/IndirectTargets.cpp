// IndirectTargets.cpp - one walk over a file for taken addresses and overriding functions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function's address is taken by every mention that is not the callee of a call. A function that
// is cast counts for pointers of every type. Lambdas are reached through their conversion to a
// pointer. Pointers to members are not followed: such a call stays unknown.
#include "passes/analysis/IndirectTargets.h"

#include "passes/analysis/VariableEscape.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

namespace gpusched::passes {
namespace {

/// The type of the function that a pointer or reference leads to, null for anything else.
clang::QualType functionOf(clang::QualType type) {
  type = type.isNull() ? type : type.getNonReferenceType().getCanonicalType();
  if (!type.isNull() && type->isFunctionPointerType())
    type = type->getPointeeType().getCanonicalType();
  return type.isNull() || !type->isFunctionProtoType() ? clang::QualType() : type;
}

/// A reference to a function cannot be changed; a pointer is only read.
bool keepsItsFunction(const clang::ParmVarDecl& parameter, const clang::FunctionDecl& function) {
  const clang::FunctionDecl* definition = nullptr;
  return parameter.getType().getNonReferenceType()->isFunctionType() ||
         (function.hasBody(definition) && assignmentsOf(parameter, *definition->getBody()) == 0u);
}

} // namespace

class IndirectTargets::Search : public clang::DynamicRecursiveASTVisitor {
public:
  explicit Search(IndirectTargets& into) : into_(into) {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitImplicitCode = true;
  }

  bool VisitCallExpr(clang::CallExpr* call) override {
    callees_.insert(call->getCallee()->IgnoreParenImpCasts());
    if (const clang::FunctionDecl* const callee = call->getDirectCallee())
      for (const clang::ParmVarDecl* parameter : callee->parameters())
        if (!functionOf(parameter->getType()).isNull()) {
          into_.calls_[callee->getCanonicalDecl()].push_back(call);
          break;
        }
    const auto* conversion =
        llvm::dyn_cast_or_null<clang::CXXConversionDecl>(call->getDirectCallee());
    if (conversion && conversion->getParent()->isLambda())
      into_.taken_.emplace_back(conversion->getParent()->getLambdaCallOperator(),
                                conversion->getConversionType());
    return true;
  }

  bool VisitCastExpr(clang::CastExpr* cast) override {
    const auto* reference =
        llvm::dyn_cast<clang::DeclRefExpr>(cast->getSubExpr()->IgnoreParenImpCasts());
    const auto* function =
        reference ? llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()) : nullptr;
    if (function && cast->getCastKind() == clang::CK_BitCast && isDevice(*function))
      into_.taken_.emplace_back(function, clang::QualType());
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) override {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
    if (function && !callees_.count(reference) && isDevice(*function))
      into_.taken_.emplace_back(function, function->getType());
    return true;
  }

  bool VisitCXXMethodDecl(clang::CXXMethodDecl* method) override {
    if (isDevice(*method))
      for (const clang::CXXMethodDecl* overridden : method->overridden_methods())
        into_.overriders_[overridden->getCanonicalDecl()].push_back(method);
    return true;
  }

private:
  static bool isDevice(const clang::FunctionDecl& function) {
    return function.hasAttr<clang::CUDADeviceAttr>();
  }

  IndirectTargets& into_;
  std::set<const clang::Expr*> callees_;
};

void IndirectTargets::addOverriders(const clang::CXXMethodDecl& method,
                                    std::set<const clang::FunctionDecl*>& found) const {
  if (!method.isPureVirtual())
    found.insert(&method);
  const auto known = overriders_.find(method.getCanonicalDecl());
  if (known != overriders_.end())
    for (const clang::CXXMethodDecl* overrider : known->second)
      addOverriders(*overrider, found);
}

bool IndirectTargets::isTaken(const clang::FunctionDecl& function) const {
  for (const auto& [taken, type] : taken_)
    if (taken->getCanonicalDecl() == function.getCanonicalDecl())
      return true;
  return false;
}

/// Adds what callers pass for the parameter; false if one of them passes something unknown.
bool IndirectTargets::addPassed(const clang::ParmVarDecl& parameter, Functions& found,
                                std::set<const clang::ParmVarDecl*>& seen) const {
  if (!seen.insert(&parameter).second)
    return true;
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
  const auto calls = function ? calls_.find(function->getCanonicalDecl()) : calls_.end();
  if (calls == calls_.end() || !keepsItsFunction(parameter, *function) ||
      function->hasAttr<clang::CUDAGlobalAttr>() || function->isOverloadedOperator() ||
      isTaken(*function))
    return false;
  const unsigned place = parameter.getFunctionScopeIndex();
  for (const clang::CallExpr* call : calls->second)
    if (place >= call->getNumArgs() || !addNamed(*call->getArg(place), found, seen))
      return false;
  return true;
}

bool IndirectTargets::addNamed(const clang::Expr& argument, Functions& found,
                               std::set<const clang::ParmVarDecl*>& seen) const {
  const clang::Expr* plain = argument.IgnoreParenImpCasts();
  if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(plain))
    plain = temporary->getSubExpr()->IgnoreParenImpCasts();
  if (const auto* address = llvm::dyn_cast<clang::UnaryOperator>(plain);
      address && address->getOpcode() == clang::UO_AddrOf)
    plain = address->getSubExpr()->IgnoreParenImpCasts();
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(plain))
    return addNamed(*choice->getTrueExpr(), found, seen) &&
           addNamed(*choice->getFalseExpr(), found, seen);
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(plain);
  if (!reference)
    return false;
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl())) {
    found.insert(function);
    return true;
  }
  const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(reference->getDecl());
  return parameter && addPassed(*parameter, found, seen);
}

std::vector<const clang::FunctionDecl*> IndirectTargets::of(const IndirectCall& call, bool closed) {
  if (!closed && !call.parameter)
    return {};
  if (!searched_)
    Search(*this).TraverseDecl(context_.getTranslationUnitDecl());
  searched_ = true;
  Functions found;
  std::set<const clang::ParmVarDecl*> seen;
  if (call.parameter && addPassed(*call.parameter, found, seen))
    return {found.begin(), found.end()};
  if (!closed)
    return {};
  found.clear();
  if (call.method)
    addOverriders(*call.method, found);
  const clang::QualType wanted = functionOf(call.type);
  if (!wanted.isNull())
    for (const auto& [function, type] : taken_) {
      const clang::QualType own = functionOf(type);
      if (own.isNull() || context_.hasSameFunctionTypeIgnoringExceptionSpec(own, wanted))
        found.insert(function);
    }
  return {found.begin(), found.end()};
}

} // namespace gpusched::passes
