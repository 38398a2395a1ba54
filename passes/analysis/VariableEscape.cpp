// VariableEscape.cpp - collects harmless mentions, everything else escapes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conservative by construction: a form of mention that nobody thought of here escapes. A lambda may
// be called anywhere, so what it assigns escapes; what it only reads does not. An assignment whose
// result is more than read, as in `++x = 1`, lets its variable escape.
#include "passes/analysis/VariableEscape.h"

#include "passes/analysis/Expressions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

#include <algorithm>
#include <vector>

namespace gpusched::passes {
namespace {

bool isPartOfThis(const clang::Expr& expression, const clang::ASTContext& context);

/// Does the function do nothing but name a part of its object?
bool isAccessor(const clang::CXXMethodDecl& method) {
  const clang::Expr* const part = method.isVirtual() ? nullptr : onlyReturned(method);
  return part && isPartOfThis(*part, method.getASTContext());
}

/// The object whose part the call names; null if it may be anything else.
const clang::Expr* accessedObject(const clang::Expr& expression) {
  const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&expression);
  const auto* subscript = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&expression);
  const auto* method =
      llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call        ? call->getMethodDecl()
                                                   : subscript ? subscript->getDirectCallee()
                                                               : nullptr);
  if (!method || method->isStatic() || !isAccessor(*method))
    return nullptr;
  return call ? call->getImplicitObjectArgument() : subscript->getArg(0);
}

/// `this->a.b[i].c()`, without effects.
bool isPartOfThis(const clang::Expr& expression, const clang::ASTContext& context) {
  const clang::Expr& current = *expression.IgnoreParenImpCasts();
  if (llvm::isa<clang::CXXThisExpr>(current))
    return true;
  if (const auto* dereference = llvm::dyn_cast<clang::UnaryOperator>(&current))
    return dereference->getOpcode() == clang::UO_Deref &&
           llvm::isa<clang::CXXThisExpr>(dereference->getSubExpr()->IgnoreParenImpCasts());
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&current))
    return llvm::isa<clang::FieldDecl>(member->getMemberDecl()) &&
           !member->getMemberDecl()->getType()->isReferenceType() &&
           (!member->isArrow() ||
            llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())) &&
           isPartOfThis(*member->getBase(), context);
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&current))
    return subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType() &&
           !subscript->getIdx()->HasSideEffects(context) &&
           isPartOfThis(*subscript->getBase(), context);
  const clang::Expr* const object = accessedObject(current);
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&current);
  return object && isPartOfThis(*object, context) &&
         std::none_of(
             call->arg_begin() + llvm::isa<clang::CXXOperatorCallExpr>(call), call->arg_end(),
             [&](const clang::Expr* argument) { return argument->HasSideEffects(context); });
}

/// Are all mentions of the object in the statement reads of its parts?
bool onlyReadsObject(const clang::Stmt& statement, const clang::ASTContext& context) {
  struct OwnUses : clang::DynamicRecursiveASTVisitor {
    const clang::ASTContext* context = nullptr;
    unsigned mentions = 0, reads = 0;
    OwnUses() { ShouldVisitImplicitCode = true; }
    bool VisitCXXThisExpr(clang::CXXThisExpr* /*mention*/) override {
      ++mentions;
      return true;
    }
    bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) override {
      const bool isRead = cast->getCastKind() == clang::CK_LValueToRValue;
      reads += isRead && isPartOfThis(*cast->getSubExpr(), *context);
      return true;
    }
  } uses;
  uses.context = &context;
  uses.TraverseStmt(const_cast<clang::Stmt*>(&statement));
  return uses.mentions == uses.reads;
}

bool hasMutableParts(const clang::CXXRecordDecl* record) {
  return record && record->hasDefinition() && record->hasMutableFields();
}

/// Does the function change nothing in its object, `const` or not? `T* at(int i) { return &data[i];
/// }` reads the pointer.
bool onlyReads(const clang::CXXMethodDecl& method) {
  if (method.isConst())
    return !hasMutableParts(method.getParent());
  const clang::Expr* const returned = method.isVirtual() ? nullptr : onlyReturned(method);
  return returned && onlyReadsObject(*returned, method.getASTContext());
}

/// The reference to the variable under members, subscripts, accessors and no-op casts.
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
    else if (const clang::Expr* const object = accessedObject(*current))
      next = object->getType()->isPointerType() ? nullptr : object;
    if (!next)
      return nullptr;
    current = next->IgnoreParens();
  }
}

/// No mention of it lets anybody change what it refers to.
bool isHarmlessReference(const clang::VarDecl& variable) {
  const clang::QualType type = variable.getType();
  return isConstReference(type) && type->isLValueReferenceType() &&
         !hasMutableParts(type.getNonReferenceType()->getAsCXXRecordDecl());
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

class Mentions : public clang::DynamicRecursiveASTVisitor {
public:
  std::set<const clang::DeclRefExpr*> all, harmless;
  std::set<const clang::VarDecl*> handedOn; ///< by the result of an assignment

  /// The casts in a list of initialisers are implicit.
  Mentions() { ShouldVisitImplicitCode = true; }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) override {
    all.insert(reference);
    return true;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) override {
    if (cast->getCastKind() == clang::CK_LValueToRValue)
      acceptRead(*cast->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* operation) override {
    if (operation->isAssignmentOp() && lambdas_ == 0)
      accept(*operation->getLHS());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* operation) override {
    if (operation->isIncrementDecrementOp() && lambdas_ == 0)
      accept(*operation->getSubExpr());
    return true;
  }
  /// `++x` and `x = 1` are x itself: what is done with that may be anything, unless it is read.
  bool VisitStmt(clang::Stmt* parent) override {
    const auto* cast = llvm::dyn_cast<clang::CastExpr>(parent);
    const bool isRead = cast && (cast->getCastKind() == clang::CK_LValueToRValue ||
                                 cast->getCastKind() == clang::CK_ToVoid);
    const auto* value = llvm::dyn_cast<clang::Expr>(parent);
    const bool isUse = value ? !isRead && innerResults(*value).empty()
                             : llvm::isa<clang::DeclStmt, clang::ReturnStmt>(parent);
    for (const clang::Stmt* child : parent->children())
      if (const auto* result = llvm::dyn_cast_or_null<clang::Expr>(child); result && isUse)
        handOn(*result);
    return true;
  }
  /// A reference to const, and a member function that reads, let nobody change the variable.
  bool VisitCallExpr(clang::CallExpr* call) override {
    const clang::FunctionDecl* const callee = call->getDirectCallee();
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
    const bool objectFirst = llvm::isa<clang::CXXOperatorCallExpr>(call) && method;
    if (objectFirst && (onlyReads(*method) || (assignedObject(*call) && lambdas_ == 0)))
      accept(*call->getArg(0));
    if (callee)
      acceptConstReferences(*callee, call->getArgs() + objectFirst,
                            call->getNumArgs() - objectFirst);
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* member) override {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
    if (method && method->isStatic())
      accept(*member->getBase());
    return true;
  }
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) override {
    const clang::CXXMethodDecl* const method = call->getMethodDecl();
    if (method && onlyReads(*method) &&
        !call->getImplicitObjectArgument()->getType()->isPointerType())
      accept(*call->getImplicitObjectArgument());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construct) override {
    const clang::CXXConstructorDecl& constructor = *construct->getConstructor();
    if (constructor.isCopyOrMoveConstructor() && constructor.isTrivial() &&
        construct->getNumArgs() >= 1)
      acceptRead(*construct->getArg(0));
    if (!keepsReferences(*constructor.getParent()))
      acceptConstReferences(constructor, construct->getArgs(), construct->getNumArgs());
    return true;
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) override {
    ++lambdas_;
    Base::TraverseLambdaExpr(lambda);
    --lambdas_;
    return true;
  }
  /// The capture itself changes nothing; the mentions in the body count.
  bool TraverseLambdaCapture(clang::LambdaExpr* lambda, const clang::LambdaCapture* capture,
                             clang::Expr* value) override {
    return !lambda->isInitCapture(capture) || Base::TraverseLambdaCapture(lambda, capture, value);
  }

private:
  using Base = clang::DynamicRecursiveASTVisitor;

  void acceptConstReferences(const clang::FunctionDecl& callee, clang::Expr* const* arguments,
                             unsigned count) {
    for (unsigned index = 0; index < std::min(count, callee.getNumParams()); ++index)
      if (const clang::QualType type = callee.getParamDecl(index)->getType();
          isConstReference(type) &&
          !hasMutableParts(type.getNonReferenceType()->getAsCXXRecordDecl()))
        acceptRead(*arguments[index]);
  }

  /// `c ? a : b` of two variables is one of them: an lvalue, here only looked at.
  void acceptRead(const clang::Expr& lvalue) {
    const clang::Expr* const place = lvalue.IgnoreParens();
    const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(place);
    if (cast && cast->getCastKind() == clang::CK_NoOp)
      return acceptRead(*cast->getSubExpr());
    const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(place);
    if (!choice)
      return accept(*place);
    acceptRead(*choice->getTrueExpr());
    acceptRead(*choice->getFalseExpr());
  }

  /// The expressions whose results the expression has for its own.
  static std::vector<const clang::Expr*> innerResults(const clang::Expr& expression) {
    if (const auto* parentheses = llvm::dyn_cast<clang::ParenExpr>(&expression))
      return {parentheses->getSubExpr()};
    if (const auto* whole = llvm::dyn_cast<clang::FullExpr>(&expression))
      return {whole->getSubExpr()};
    if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&expression))
      return {choice->getTrueExpr(), choice->getFalseExpr()};
    const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&expression);
    if (operation && operation->getOpcode() == clang::BO_Comma)
      return {operation->getRHS()};
    return {};
  }

  void handOn(const clang::Expr& result) {
    for (const clang::Expr* inner : innerResults(result))
      handOn(*inner);
    const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&result);
    const auto* step = llvm::dyn_cast<clang::UnaryOperator>(&result);
    const auto* call = llvm::dyn_cast<clang::CallExpr>(&result);
    const clang::Expr* const target = operation && operation->isAssignmentOp() ? operation->getLHS()
                                      : step && step->isIncrementDecrementOp() && step->isPrefix()
                                          ? step->getSubExpr()
                                      : call ? assignedObject(*call)
                                             : nullptr;
    if (const clang::VarDecl* const variable = target ? assignedVariable(*target) : nullptr)
      handedOn.insert(variable);
  }

  void accept(const clang::Expr& lvalue) {
    if (const clang::DeclRefExpr* const reference = rootReference(lvalue))
      harmless.insert(reference);
  }

  unsigned lambdas_ = 0; ///< around the current node
};

} // namespace

bool mayHoldPlaces(clang::QualType type) {
  const clang::CXXRecordDecl* const record = type->getAsCXXRecordDecl();
  return type->isPointerType() ||
         (record && (!record->hasDefinition() || keepsReferences(*record)));
}

bool handsOutObject(const clang::CXXMethodDecl& method) {
  const clang::FunctionDecl* definition = nullptr;
  return method.isVirtual() || !method.hasBody(definition) ||
         !onlyReadsObject(*definition->getBody(), method.getASTContext());
}

const clang::VarDecl* assignedVariable(const clang::Expr& lvalue) {
  const clang::DeclRefExpr* const reference = rootReference(lvalue);
  const auto* variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  return variable && variable->isLocalVarDeclOrParm() ? variable : nullptr;
}

const clang::Expr* assignedObject(const clang::CallExpr& call) {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  return llvm::isa<clang::CXXOperatorCallExpr>(call) && method && method->isTrivial() &&
                 (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator())
             ? call.getArg(0)
             : nullptr;
}

std::set<const clang::VarDecl*> escapingVariables(const clang::Stmt& body) {
  Mentions mentions;
  mentions.TraverseStmt(const_cast<clang::Stmt*>(&body));
  std::set<const clang::VarDecl*> escaping = mentions.handedOn;
  for (const clang::DeclRefExpr* reference : mentions.all)
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
      if (variable->isLocalVarDeclOrParm() && !mentions.harmless.count(reference) &&
          !isHarmlessReference(*variable))
        escaping.insert(variable);
  return escaping;
}

std::optional<unsigned> assignmentsOf(const clang::VarDecl& variable, const clang::Stmt& body) {
  struct Count : clang::DynamicRecursiveASTVisitor {
    const clang::VarDecl* variable = nullptr;
    unsigned assignments = 0;
    void note(const clang::Expr& target) { assignments += assignedVariable(target) == variable; }
    bool VisitBinaryOperator(clang::BinaryOperator* operation) override {
      if (operation->isAssignmentOp())
        note(*operation->getLHS());
      return true;
    }
    bool VisitUnaryOperator(clang::UnaryOperator* operation) override {
      if (operation->isIncrementDecrementOp())
        note(*operation->getSubExpr());
      return true;
    }
  } count;
  count.variable = &variable;
  count.TraverseStmt(const_cast<clang::Stmt*>(&body));
  if (escapingVariables(body).count(&variable))
    return std::nullopt;
  return count.assignments + (variable.isLocalVarDecl() && variable.hasInit() ? 1 : 0);
}

} // namespace gpusched::passes
