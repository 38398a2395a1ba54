// LoopEnd.cpp - finds the counter of a loop and what the loop does besides.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A counter is a local integer or pointer that nothing in the loop writes but its increment, by an
// amount that nothing in the loop writes either. Against an order its bound may be anything, even
// memory, since the counter passes every value; against `!=` the bound must stand still, too.
// Conservative: what is not understood is written to.
#include "passes/analysis/LoopEnd.h"

#include "passes/analysis/BuiltinVariables.h"
#include "passes/analysis/Expressions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gpusched::passes {
namespace {

bool isLoop(const clang::Stmt& statement) {
  return llvm::isa<clang::WhileStmt, clang::DoStmt, clang::ForStmt, clang::CXXForRangeStmt>(
      statement);
}

/// The variable of which the expression is the value, or a member's value.
const clang::VarDecl* readVariable(const clang::ImplicitCastExpr& cast) {
  if (cast.getCastKind() != clang::CK_LValueToRValue)
    return nullptr;
  const clang::Expr* place = cast.getSubExpr()->IgnoreParens();
  while (const auto* member = llvm::dyn_cast<clang::MemberExpr>(place)) {
    if (member->isArrow())
      return nullptr;
    place = member->getBase()->IgnoreParens();
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(place);
  return reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

/// What happens inside of a loop, but in its own head's increment.
class Inside {
public:
  explicit Inside(const clang::ASTContext& context) : context_(context) {}

  void add(const clang::Stmt* statement, unsigned nested = 0) {
    if (!statement)
      return;
    exits_ |= llvm::isa<clang::ReturnStmt, clang::GotoStmt, clang::IndirectGotoStmt>(statement) ||
              (llvm::isa<clang::BreakStmt>(statement) && nested == 0);
    if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(statement);
        cast && readVariable(*cast))
      return;
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(statement))
      named_.insert(reference->getDecl());
    writes_ |= isWrite(*statement);
    const bool opens = isLoop(*statement) || llvm::isa<clang::SwitchStmt>(statement);
    for (const clang::Stmt* child : statement->children())
      add(child, nested + opens);
  }

  bool exits() const { return exits_; }
  bool writes() const { return writes_; }
  /// Named in another way than to read it?
  bool mayWrite(const clang::ValueDecl& variable) const { return named_.contains(&variable); }

private:
  static bool isOwn(const clang::Expr& place) {
    const clang::VarDecl* const variable = localOrParameterOf(place);
    return variable && !variable->getType()->isReferenceType();
  }

  bool isWrite(const clang::Stmt& statement) const {
    if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&statement))
      return operation->isAssignmentOp() && !isOwn(*operation->getLHS());
    if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(&statement))
      return operation->isIncrementDecrementOp() && !isOwn(*operation->getSubExpr());
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement))
      return !isOfSystem(call->getDirectCallee());
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&statement))
      return !made->getConstructor()->isTrivial() && !isOfSystem(made->getConstructor());
    return llvm::isa<clang::LambdaExpr, clang::AsmStmt>(&statement);
  }

  bool isOfSystem(const clang::FunctionDecl* function) const {
    return function &&
           (function->getBuiltinID() != 0 || context_.getSourceManager().isInSystemHeader(
                                                 function->getCanonicalDecl()->getLocation()));
  }

  const clang::ASTContext& context_;
  bool exits_ = false, writes_ = false;
  llvm::SmallPtrSet<const clang::ValueDecl*, 16> named_;
};

bool isCounter(const clang::VarDecl& variable) {
  const clang::QualType type = variable.getType();
  return variable.hasLocalStorage() && (type->isIntegerType() || type->isPointerType()) &&
         !type.isVolatileQualified();
}

/// Has the expression the same value each time the loop comes by? Made of numbers, of variables
/// that the loop only reads, and of blockDim and its like.
bool standsStill(const clang::Expr& expression, const Inside& inside) {
  const clang::Expr* const bare = expression.IgnoreParenImpCasts();
  if (llvm::isa<clang::IntegerLiteral, clang::CharacterLiteral, clang::CXXBoolLiteralExpr,
                clang::UnaryExprOrTypeTraitExpr>(bare))
    return true;
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(bare)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (!variable)
      return llvm::isa<clang::EnumConstantDecl, clang::NonTypeTemplateParmDecl>(
          reference->getDecl());
    return variable->isConstexpr() ||
           (variable->hasLocalStorage() && !variable->getType()->isReferenceType() &&
            !variable->getType().isVolatileQualified() && !inside.mayWrite(*variable));
  }
  if (const auto* replaced = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(bare))
    return standsStill(*replaced->getReplacement(), inside);
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(bare)) {
    const auto* base = llvm::dyn_cast<clang::DeclRefExpr>(member->getBase()->IgnoreParenImpCasts());
    const auto* variable = base ? llvm::dyn_cast<clang::VarDecl>(base->getDecl()) : nullptr;
    return !member->isArrow() && variable &&
           (isBuiltinVariable(*variable) || standsStill(*base, inside));
  }
  if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(bare))
    return !operation->isAssignmentOp() && standsStill(*operation->getLHS(), inside) &&
           standsStill(*operation->getRHS(), inside);
  if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(bare))
    return (operation->isArithmeticOp() && !operation->isIncrementDecrementOp()) &&
           standsStill(*operation->getSubExpr(), inside);
  if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(bare))
    return cast->getType()->isIntegerType() && standsStill(*cast->getSubExpr(), inside);
  return false;
}

/// The variable that an increment moves one way, by the same amount each time.
const clang::VarDecl* steppedBy(const clang::Expr& increment, const Inside& inside) {
  const clang::Expr* const bare = increment.IgnoreParenImpCasts();
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(bare))
    return unary->isIncrementDecrementOp() ? localOrParameterOf(*unary->getSubExpr()) : nullptr;
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(bare);
  if (!binary)
    return nullptr;
  const clang::VarDecl* const moved = localOrParameterOf(*binary->getLHS());
  switch (binary->getOpcode()) {
  case clang::BO_AddAssign:
  case clang::BO_SubAssign:
  case clang::BO_MulAssign:
  case clang::BO_DivAssign:
  case clang::BO_ShlAssign:
  case clang::BO_ShrAssign:
    return moved && standsStill(*binary->getRHS(), inside) ? moved : nullptr;
  case clang::BO_Comma: {
    const clang::VarDecl* const first = steppedBy(*binary->getLHS(), inside);
    return first ? first : steppedBy(*binary->getRHS(), inside);
  }
  default:
    return nullptr;
  }
}

bool endsAt(const clang::Expr& condition, const clang::VarDecl& counter, const Inside& inside) {
  const auto* comparison = llvm::dyn_cast<clang::BinaryOperator>(condition.IgnoreParenImpCasts());
  if (!comparison)
    return false;
  const bool equality = comparison->getOpcode() == clang::BO_NE;
  const auto isSide = [&](const clang::Expr& side, const clang::Expr& bound) {
    return localOrParameterOf(*side.IgnoreParenImpCasts()) == &counter &&
           (!equality || standsStill(bound, inside));
  };
  return (comparison->isRelationalOp() || equality) &&
         (isSide(*comparison->getLHS(), *comparison->getRHS()) ||
          isSide(*comparison->getRHS(), *comparison->getLHS()));
}

/// `i < n && more()`: ends at n at last, but may end earlier.
LoopEnd endOf(const clang::Expr& condition, const clang::VarDecl& counter, const Inside& inside) {
  if (endsAt(condition, counter, inside))
    return inside.exits() ? LoopEnd::Read : LoopEnd::Counted;
  const auto* both = llvm::dyn_cast<clang::BinaryOperator>(condition.IgnoreParenImpCasts());
  const bool atLast = both && both->getOpcode() == clang::BO_LAnd &&
                      (endOf(*both->getLHS(), counter, inside) != LoopEnd::Written ||
                       endOf(*both->getRHS(), counter, inside) != LoopEnd::Written);
  return atLast ? LoopEnd::Read : LoopEnd::Written;
}

LoopEnd endOfFor(const clang::ForStmt& loop, const Inside& inside) {
  const clang::VarDecl* const counter =
      loop.getCond() && loop.getInc() ? steppedBy(*loop.getInc(), inside) : nullptr;
  return counter && isCounter(*counter) && !inside.mayWrite(*counter)
             ? endOf(*loop.getCond(), *counter, inside)
             : LoopEnd::Written;
}

} // namespace

LoopEnd loopEnd(const clang::Stmt& statement, const clang::ASTContext& context) {
  if (llvm::isa<clang::GotoStmt, clang::IndirectGotoStmt>(statement))
    return LoopEnd::Written;
  if (!isLoop(statement))
    return LoopEnd::NoLoop;
  Inside inside(context);
  const auto* loop = llvm::dyn_cast<clang::ForStmt>(&statement);
  if (loop) {
    inside.add(loop->getCond());
    inside.add(loop->getBody());
    if (const LoopEnd end = endOfFor(*loop, inside); end != LoopEnd::Written)
      return end;
    inside.add(loop->getInc());
  } else {
    for (const clang::Stmt* child : statement.children())
      inside.add(child);
  }
  if (llvm::isa<clang::CXXForRangeStmt>(statement))
    return inside.exits() ? LoopEnd::Read : LoopEnd::Counted;
  return inside.writes() ? LoopEnd::Written : LoopEnd::Read;
}

} // namespace gpusched::passes
