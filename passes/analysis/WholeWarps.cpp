// WholeWarps.cpp - the question, and the ends of functions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/WholeWarps.h"

#include "passes/analysis/LaneMasks.h"

#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

namespace gpusched::passes {
namespace {

const clang::Stmt* onlyStatement(const clang::Stmt* statement) {
  const auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(statement);
  if (!block)
    return statement;
  return block->size() == 1 ? block->body_front() : nullptr;
}

/// The value of a function that does nothing but return it.
const clang::Expr* returnedBy(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* definition = nullptr;
  if (!function.hasBody(definition))
    return nullptr;
  const auto* end = llvm::dyn_cast_or_null<clang::ReturnStmt>(onlyStatement(definition->getBody()));
  return end ? end->getRetValue() : nullptr;
}

bool isActiveMask(const clang::Expr& value) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(value.IgnoreParenImpCasts());
  const clang::FunctionDecl* const callee = call ? call->getDirectCallee() : nullptr;
  return callee && callee->getIdentifier() && callee->getName() == "__activemask";
}

bool asksForWholeWarp(const clang::Expr& question, const clang::FunctionDecl& function) {
  const clang::Expr* const written = question.IgnoreParenImpCasts();
  if (const auto* compared = llvm::dyn_cast<clang::BinaryOperator>(written)) {
    const clang::Expr &left = *compared->getLHS(), &right = *compared->getRHS();
    return compared->getOpcode() == clang::BO_EQ &&
           ((isActiveMask(left) && namesWholeWarp(right, function)) ||
            (isActiveMask(right) && namesWholeWarp(left, function)));
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(written);
  const clang::FunctionDecl* const callee = call ? call->getDirectCallee() : nullptr;
  const clang::Expr* const returned = callee && callee != &function ? returnedBy(*callee) : nullptr;
  const auto* comparison =
      returned ? llvm::dyn_cast<clang::BinaryOperator>(returned->IgnoreParenImpCasts()) : nullptr;
  return comparison && asksForWholeWarp(*comparison, *callee);
}

/// `isLast`: nothing of the function comes behind the statement.
bool leavesAtEnd(const clang::Stmt* statement, bool isLast) {
  if (!statement || llvm::isa<clang::LambdaExpr>(statement))
    return true;
  if (llvm::isa<clang::ReturnStmt>(statement))
    return isLast;
  if (const auto* choice = llvm::dyn_cast<clang::IfStmt>(statement))
    return leavesAtEnd(choice->getThen(), isLast) && leavesAtEnd(choice->getElse(), isLast);
  const auto* block = llvm::dyn_cast<clang::CompoundStmt>(statement);
  for (const clang::Stmt* part : statement->children())
    if (!leavesAtEnd(part, isLast && block && part == block->body_back()))
      return false;
  return true;
}

} // namespace

bool isForWholeWarps(const clang::IfStmt& choice, const clang::FunctionDecl& function) {
  if (!choice.getCond() || choice.getInit() || choice.getConditionVariable() ||
      !asksForWholeWarp(*choice.getCond(), function))
    return false;
  const clang::Stmt* only = onlyStatement(choice.getThen());
  if (const auto* end = llvm::dyn_cast_or_null<clang::ReturnStmt>(only))
    only = end->getRetValue();
  const auto* value = llvm::dyn_cast_or_null<clang::Expr>(only);
  return value && llvm::isa<clang::CallExpr>(value->IgnoreImplicit());
}

bool endsForAll(const clang::FunctionDecl& definition) {
  return leavesAtEnd(definition.getBody(), true);
}

} // namespace gpusched::passes
