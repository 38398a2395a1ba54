// ThreadTaint.cpp - a fixed point over the variables of one body, control flow left aside.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/ThreadTaint.h"

#include "passes/analysis/VariableEscape.h"

#include "clang/AST/RecursiveASTVisitor.h"

#include <utility>

namespace gpusched::passes {
namespace {

/// Finds threadIdx, or a tainted variable, in an expression.
class Mention : public clang::RecursiveASTVisitor<Mention> {
public:
  explicit Mention(const std::set<const clang::ValueDecl*>& tainted) : tainted_(tainted) {}
  bool found = false;

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    const clang::ValueDecl* const declared = reference->getDecl();
    const clang::IdentifierInfo* const name = declared->getIdentifier();
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
    found |= tainted_.count(declared) != 0 ||
             (variable && variable->isFileVarDecl() && name && name->isStr("threadIdx"));
    return !found;
  }

private:
  const std::set<const clang::ValueDecl*>& tainted_;
};

bool mentions(const clang::Stmt& expression, const std::set<const clang::ValueDecl*>& tainted) {
  Mention mention(tainted);
  mention.TraverseStmt(const_cast<clang::Stmt*>(&expression));
  return mention.found;
}

/// One round: adds the variables that get a tainted value.
class Spread : public clang::RecursiveASTVisitor<Spread> {
public:
  explicit Spread(std::set<const clang::ValueDecl*>& tainted) : tainted_(tainted) {}

  bool VisitVarDecl(clang::VarDecl* variable) {
    if (variable->getInit() && mentions(*variable->getInit(), tainted_))
      tainted_.insert(variable);
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* operation) {
    const clang::VarDecl* const variable =
        operation->isAssignmentOp() ? assignedVariable(*operation->getLHS()) : nullptr;
    if (variable && mentions(*operation->getRHS(), tainted_))
      tainted_.insert(variable);
    return true;
  }

private:
  std::set<const clang::ValueDecl*>& tainted_;
};

} // namespace

ThreadTaint::ThreadTaint(const clang::FunctionDecl& function,
                         std::set<const clang::ValueDecl*> parameters)
    : tainted_(std::move(parameters)) {
  for (std::size_t before = tainted_.size() + 1; before != tainted_.size();) {
    before = tainted_.size();
    Spread(tainted_).TraverseStmt(function.getBody());
  }
}

bool ThreadTaint::of(const clang::Stmt& expression) const {
  return mentions(expression, tainted_);
}

} // namespace gpusched::passes
