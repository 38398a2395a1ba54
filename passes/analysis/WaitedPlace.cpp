// WaitedPlace.cpp - looks through an address for the block's number.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local variables stand for everything that is ever assigned to them.
#include "passes/analysis/WaitedPlace.h"

#include "passes/analysis/BuiltinVariables.h"
#include "passes/analysis/Expressions.h"
#include "passes/analysis/FunctionUses.h"
#include "passes/analysis/SharedObjects.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

#include <vector>

namespace gpusched::passes {
namespace {

/// All that the function ever assigns to a local variable.
std::vector<const clang::Expr*> valuesOf(const clang::VarDecl& variable,
                                         const clang::FunctionDecl& function) {
  struct Values : clang::DynamicRecursiveASTVisitor {
    const clang::VarDecl* variable = nullptr;
    std::vector<const clang::Expr*> all;
    bool VisitBinaryOperator(clang::BinaryOperator* operation) override {
      if (operation->isAssignmentOp() && localOrParameterOf(*operation->getLHS()) == variable)
        all.push_back(operation->getRHS());
      return true;
    }
  } values;
  values.variable = &variable;
  values.TraverseStmt(function.getBody());
  if (variable.getInit())
    values.all.push_back(variable.getInit());
  return values.all;
}

/// Is a place computed from a number behind the block's own: blockIdx.x + 1, or n - blockIdx.x,
/// which is behind it for half of the blocks?
class LaterPlace {
public:
  explicit LaterPlace(const clang::FunctionDecl& function) : function_(function) {}

  bool isLater(const clang::Stmt& expression) {
    if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&expression))
      if (isBehindOwn(*operation))
        return true;
    if (const auto* value = llvm::dyn_cast<clang::Expr>(&expression))
      if (const clang::VarDecl* const variable = localOrParameterOf(*value))
        return anyValue(*variable, [&](const clang::Expr& each) { return isLater(each); });
    return llvm::any_of(expression.children(),
                        [&](const clang::Stmt* child) { return child && isLater(*child); });
  }

private:
  bool isBehindOwn(const clang::BinaryOperator& operation) {
    const clang::Expr &left = *operation.getLHS(), &right = *operation.getRHS();
    if (operation.getOpcode() == clang::BO_Sub)
      return isOwn(right);
    return operation.getOpcode() == clang::BO_Add &&
           ((isOwn(left) && isPositive(right)) || (isPositive(left) && isOwn(right)));
  }

  static bool isBlockIndex(const clang::MemberExpr& member) {
    const clang::ValueDecl* const variable = builtinOf(member);
    return variable && variable->getName() == "blockIdx";
  }

  /// blockIdx.x, or a variable that gets it.
  bool isOwn(const clang::Expr& expression) {
    const clang::Expr* const plain = expression.IgnoreParenCasts();
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(plain))
      if (isBlockIndex(*member))
        return true;
    const clang::VarDecl* const variable = localOrParameterOf(*plain);
    return variable && anyValue(*variable, [&](const clang::Expr& each) { return isOwn(each); });
  }

  bool isPositive(const clang::Expr& expression) const {
    clang::Expr::EvalResult value;
    return !expression.isValueDependent() &&
           expression.EvaluateAsInt(value, function_.getASTContext()) &&
           value.Val.getInt().isStrictlyPositive();
  }

  bool anyValue(const clang::VarDecl& variable,
                llvm::function_ref<bool(const clang::Expr&)> accepts) {
    if (!active_.insert(&variable).second)
      return false;
    const bool found = llvm::any_of(valuesOf(variable, function_),
                                    [&](const clang::Expr* value) { return accepts(*value); });
    active_.erase(&variable);
    return found;
  }

  const clang::FunctionDecl& function_;
  std::set<const clang::VarDecl*> active_;
};

/// Is a place, or what it is computed from, the same word for every block? Names of the block say
/// no, and so does what nobody here can tell: results of calls and what was loaded.
class SharedPlace {
public:
  SharedPlace(const clang::FunctionDecl& function, const std::set<const clang::VarDecl*>& moving)
      : function_(function), moving_(moving) {}

  const clang::ValueDecl* root = nullptr; ///< the first variable, for the message
  std::set<unsigned> parameters;          ///< on which the answer depends, if it is yes

  bool isFixed(const clang::Stmt& expression) {
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&expression))
      return isFixedVariable(*reference->getDecl());
    if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&expression))
      if (cast->getCastKind() == clang::CK_LValueToRValue && isMemory(*cast->getSubExpr()))
        return false;
    const bool known =
        llvm::isa<clang::CastExpr, clang::ParenExpr, clang::ArraySubscriptExpr, clang::MemberExpr,
                  clang::UnaryOperator, clang::BinaryOperator, clang::IntegerLiteral,
                  clang::CXXThisExpr, clang::ConditionalOperator, clang::CXXConstructExpr,
                  clang::MaterializeTemporaryExpr, clang::ExprWithCleanups,
                  clang::UnaryExprOrTypeTraitExpr, clang::SubstNonTypeTemplateParmExpr>(expression);
    for (const clang::Stmt* child : expression.children())
      if (!known || (child && !isFixed(*child)))
        return false;
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&expression); member && !root)
      root = member->getMemberDecl();
    return known;
  }

private:
  /// A loaded number may be one that the block was given.
  static bool isMemory(const clang::Expr& place) {
    const clang::Expr* const plain = place.IgnoreParens();
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(plain);
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(plain);
    return llvm::isa<clang::ArraySubscriptExpr>(plain) ||
           (unary && unary->getOpcode() == clang::UO_Deref) ||
           (member && !builtinOf(*member) && plain->getType()->isIntegerType());
  }

  bool isFixedVariable(const clang::ValueDecl& declared) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declared);
    const clang::IdentifierInfo* const name = declared.getIdentifier();
    if (!variable || moving_.count(variable) || isShared(*variable) ||
        (name && variable->isFileVarDecl() && name->isStr("blockIdx")))
      return llvm::isa<clang::EnumConstantDecl>(declared);
    if (const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable)) {
      const clang::QualType type = parameter->getType();
      const bool given = !function_.hasAttr<clang::CUDAGlobalAttr>() && !type->isRecordType();
      if (given && parameter->getDeclContext() == &function_)
        parameters.insert(parameter->getFunctionScopeIndex());
      else if (given && !type->isPointerType() && !type->isReferenceType())
        return false; // of a lambda in the function
      return keep(declared);
    }
    return (variable->hasGlobalStorage() || hasFixedValues(*variable)) && keep(declared);
  }

  bool keep(const clang::ValueDecl& declared) {
    root = root ? root : &declared;
    return true;
  }

  bool hasFixedValues(const clang::VarDecl& variable) {
    if (!active_.insert(&variable).second)
      return true;
    const std::vector<const clang::Expr*> values = valuesOf(variable, function_);
    const bool fixed = !values.empty() && llvm::all_of(values, [&](const clang::Expr* value) {
      return isFixed(*value);
    });
    active_.erase(&variable);
    return fixed;
  }

  const clang::FunctionDecl& function_;
  const std::set<const clang::VarDecl*>& moving_; ///< variables that change while the loop waits
  std::set<const clang::VarDecl*> active_;
};

} // namespace

ForeignWord foreignWord(const clang::Expr& place, const clang::FunctionDecl& function,
                        const std::set<const clang::VarDecl*>& moving) {
  SharedPlace shared(function, moving);
  const bool isFixed = shared.isFixed(place);
  std::string word = shared.root ? "'" + shared.root->getNameAsString() + "'" : "an address";
  if (isFixed)
    return {word, false, shared.parameters};
  return LaterPlace(function).isLater(place) ? ForeignWord{word, true, {}} : ForeignWord{};
}

ForeignWord wordOfCall(const ForeignWord& word, const clang::CallExpr& call,
                       const clang::FunctionDecl& caller) {
  // An operator's object is its first argument.
  const unsigned first = llvm::isa<clang::CXXOperatorCallExpr>(call) &&
                                 llvm::isa_and_nonnull<clang::CXXMethodDecl>(call.getDirectCallee())
                             ? 1
                             : 0;
  ForeignWord all = {word.name, false, {}};
  for (unsigned parameter : word.parameters) {
    if (first + parameter >= call.getNumArgs())
      continue;
    const ForeignWord given = foreignWord(*call.getArg(first + parameter), caller, {});
    if (given.name.empty())
      return {};
    if (given.isLater)
      return {word.name, true, {}};
    all.parameters.insert(given.parameters.begin(), given.parameters.end());
  }
  return all;
}

} // namespace gpusched::passes
