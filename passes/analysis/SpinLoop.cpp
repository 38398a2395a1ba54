// SpinLoop.cpp - matches the condition and the body of one loop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conservative towards native: a loop that waits for the host through mapped memory is taken for a
// barrier too, and costs the kernel its twin only.
#include "passes/analysis/SpinLoop.h"

#include "passes/analysis/FunctionUses.h"

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

#include <algorithm>

namespace gpusched::passes {
namespace {

bool onlyPasses(const clang::Stmt* statement) {
  if (!statement || llvm::isa<clang::NullStmt>(statement) ||
      llvm::isa<clang::ContinueStmt>(statement))
    return true;
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(statement))
    return std::all_of(block->body_begin(), block->body_end(), onlyPasses);
  const auto* call = llvm::dyn_cast<clang::CallExpr>(statement);
  const clang::FunctionDecl* const callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !callee->getIdentifier())
    return false;
  const llvm::StringRef name = callee->getName();
  return name.starts_with("__threadfence") || name == "__nanosleep" || name == "__syncwarp";
}

/// The variable that names a place which is the same for every block; null for a computed one.
const clang::ValueDecl* fixedPlace(const clang::Expr* place) {
  place = place->IgnoreParenCasts();
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place))
    return llvm::isa<clang::IntegerLiteral>(subscript->getIdx()->IgnoreParenCasts())
               ? fixedPlace(subscript->getBase())
               : nullptr;
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(place))
    return fixedPlace(member->getBase());
  if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(place))
    return operation->getOpcode() == clang::UO_Deref || operation->getOpcode() == clang::UO_AddrOf
               ? fixedPlace(operation->getSubExpr())
               : nullptr;
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(place);
  const auto* variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  return variable && (variable->hasGlobalStorage() || llvm::isa<clang::ParmVarDecl>(variable))
             ? variable
             : nullptr;
}

bool takesLock(const clang::FunctionDecl& atomic) {
  const llvm::StringRef name = atomic.getName();
  return name.contains("CAS") || name.contains("Exch") || name.contains("exch");
}

/// The place that an expression reads anew each time; null when it reads none, or takes a lock.
const clang::ValueDecl* placeRead(const clang::Stmt* expression) {
  if (!expression)
    return nullptr;
  if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(expression))
    if (cast->getCastKind() == clang::CK_LValueToRValue &&
        cast->getSubExpr()->getType().isVolatileQualified())
      return fixedPlace(cast->getSubExpr());
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expression)) {
    const clang::FunctionDecl* const callee = call->getDirectCallee();
    if (!callee || !callee->getIdentifier() || call->getNumArgs() == 0 ||
        intrinsicOf(*callee) != Intrinsic::Atomic || takesLock(*callee))
      return nullptr;
    return fixedPlace(call->getArg(0));
  }
  for (const clang::Stmt* child : expression->children())
    if (const clang::ValueDecl* const place = placeRead(child))
      return place;
  return nullptr;
}

} // namespace

std::string waitedWord(const clang::Stmt& loop) {
  const clang::Stmt* condition = nullptr;
  const clang::Stmt* body = nullptr;
  if (const auto* whileLoop = llvm::dyn_cast<clang::WhileStmt>(&loop)) {
    condition = whileLoop->getCond();
    body = whileLoop->getBody();
  } else if (const auto* doLoop = llvm::dyn_cast<clang::DoStmt>(&loop)) {
    condition = doLoop->getCond();
    body = doLoop->getBody();
  } else if (const auto* forLoop = llvm::dyn_cast<clang::ForStmt>(&loop)) {
    condition = forLoop->getInc() ? nullptr : forLoop->getCond();
    body = forLoop->getBody();
  }
  const clang::ValueDecl* const place = onlyPasses(body) ? placeRead(condition) : nullptr;
  return place ? place->getNameAsString() : "";
}

} // namespace gpusched::passes
