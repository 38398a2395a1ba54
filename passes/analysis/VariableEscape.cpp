// VariableEscape.cpp - collects harmless mentions, everything else escapes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conservative by construction: a form of mention that nobody thought of here escapes. A lambda may
// be called anywhere, so what it assigns escapes; what it only reads does not.
#include "passes/analysis/VariableEscape.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

#include <algorithm>

namespace gpusched::passes {
namespace {

/// The reference to the variable under members, subscripts and no-op casts.
const clang::DeclRefExpr* rootReference(const clang::Expr& lvalue) {
  const clang::Expr* current = lvalue.IgnoreParens();
  while (true) {
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(current))
      return reference;
    const clang::Expr* next = nullptr;
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(current))
      next = member->isArrow() ? nullptr : member->getBase();
    else if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(current))
      next = subscript->getBase();
    else if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(current))
      next = cast->getCastKind() == clang::CK_LValueToRValue ? nullptr : cast->getSubExpr();
    if (!next)
      return nullptr;
    current = next->IgnoreParens();
  }
}

/// Could an object of this class show later what a variable has become since?
bool keepsReferences(const clang::CXXRecordDecl& record) {
  const auto keeps = [](clang::QualType type) {
    type = type->getPointeeOrArrayElementType()->getCanonicalTypeInternal();
    const clang::CXXRecordDecl* const inner = type->getAsCXXRecordDecl();
    return inner ? !inner->hasDefinition() || keepsReferences(*inner) : !type->isArithmeticType();
  };
  return std::any_of(record.field_begin(), record.field_end(),
                     [&](const clang::FieldDecl* field) {
                       const clang::QualType type = field->getType();
                       return type->isReferenceType() || type->isPointerType() || keeps(type);
                     }) ||
         std::any_of(record.bases_begin(), record.bases_end(),
                     [&](const clang::CXXBaseSpecifier& base) { return keeps(base.getType()); });
}

class Mentions : public clang::RecursiveASTVisitor<Mentions> {
public:
  std::set<const clang::DeclRefExpr*> all, harmless;

  /// The casts in a list of initialisers are implicit.
  bool shouldVisitImplicitCode() const { return true; }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    all.insert(reference);
    return true;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
    if (cast->getCastKind() == clang::CK_LValueToRValue)
      accept(*cast->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* operation) {
    if (operation->isAssignmentOp() && lambdas_ == 0)
      accept(*operation->getLHS());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* operation) {
    if (operation->isIncrementDecrementOp() && lambdas_ == 0)
      accept(*operation->getSubExpr());
    return true;
  }
  /// A reference to const, and a const member function, let nobody change the variable.
  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* const callee = call->getDirectCallee();
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
    const bool objectFirst = llvm::isa<clang::CXXOperatorCallExpr>(call) && method;
    if (objectFirst && method->isConst())
      accept(*call->getArg(0));
    if (callee)
      acceptConstReferences(*callee, call->getArgs() + objectFirst,
                            call->getNumArgs() - objectFirst);
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* member) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
    if (method && method->isStatic())
      accept(*member->getBase());
    return true;
  }
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) {
    const clang::CXXMethodDecl* const method = call->getMethodDecl();
    if (method && method->isConst() &&
        !call->getImplicitObjectArgument()->getType()->isPointerType())
      accept(*call->getImplicitObjectArgument());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construct) {
    const clang::CXXConstructorDecl& constructor = *construct->getConstructor();
    if (constructor.isCopyOrMoveConstructor() && constructor.isTrivial() &&
        construct->getNumArgs() >= 1)
      accept(*construct->getArg(0));
    if (!keepsReferences(*constructor.getParent()))
      acceptConstReferences(constructor, construct->getArgs(), construct->getNumArgs());
    return true;
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) {
    ++lambdas_;
    Base::TraverseLambdaExpr(lambda);
    --lambdas_;
    return true;
  }
  /// The capture itself changes nothing; the mentions in the body count.
  bool TraverseLambdaCapture(clang::LambdaExpr* lambda, const clang::LambdaCapture* capture,
                             clang::Expr* value) {
    return !lambda->isInitCapture(capture) || Base::TraverseLambdaCapture(lambda, capture, value);
  }

private:
  using Base = clang::RecursiveASTVisitor<Mentions>;

  void acceptConstReferences(const clang::FunctionDecl& callee, clang::Expr* const* arguments,
                             unsigned count) {
    for (unsigned index = 0; index < std::min(count, callee.getNumParams()); ++index) {
      const clang::QualType type = callee.getParamDecl(index)->getType();
      if (type->isReferenceType() && type.getNonReferenceType().isConstQualified())
        accept(*arguments[index]);
    }
  }

  void accept(const clang::Expr& lvalue) {
    if (const clang::DeclRefExpr* const reference = rootReference(lvalue))
      harmless.insert(reference);
  }

  unsigned lambdas_ = 0; ///< around the current node
};

} // namespace

const clang::VarDecl* assignedVariable(const clang::Expr& lvalue) {
  const clang::DeclRefExpr* const reference = rootReference(lvalue);
  const auto* variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  return variable && variable->isLocalVarDeclOrParm() ? variable : nullptr;
}

std::set<const clang::VarDecl*> escapingVariables(const clang::Stmt& body) {
  Mentions mentions;
  mentions.TraverseStmt(const_cast<clang::Stmt*>(&body));
  std::set<const clang::VarDecl*> escaping;
  for (const clang::DeclRefExpr* reference : mentions.all)
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
      if (variable->isLocalVarDeclOrParm() && !mentions.harmless.count(reference))
        escaping.insert(variable);
  return escaping;
}

} // namespace gpusched::passes
