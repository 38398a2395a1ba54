// Uniformity.cpp - the abstract interpretation behind Uniformity.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start with every local unset, apply each statement of each block until nothing rises any more.
// Levels only rise, so it ends after (variables * levels) rounds at most; in practice three.
// Arithmetic rules that are not obvious: with x = 32k + lane and c a multiple of 32,
//   x + c, x % c, x & (2^n - 1) for n >= 5   stay of that form (Lanes)
//   x / c, x >> 5, x < c, x >= c, x & ~31    are the same in all lanes of a warp (Warp)
#include "passes/analysis/Uniformity.h"

#include "passes/analysis/FunctionUses.h"
#include "passes/analysis/VariableEscape.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/Analyses/Dominators.h"
#include "clang/Basic/SourceManager.h"

#include <limits>
#include <optional>
#include <set>
#include <vector>

namespace gpusched::passes {
namespace {

constexpr Uniform kMixed{Uniform::Mixed, false};
constexpr Uniform kBlock{Uniform::Block, false};

Uniform join(Uniform a, Uniform b) {
  if (a.level == Uniform::Unset)
    return b;
  if (b.level == Uniform::Unset)
    return a;
  const bool oneHasLanes = (a.level == Uniform::Lanes) != (b.level == Uniform::Lanes);
  if (oneHasLanes)
    return kMixed;
  return {std::max(a.level, b.level), a.multipleOf32 && b.multipleOf32};
}

/// A value computed from others by something unknown but deterministic.
Uniform derived(Uniform from) {
  return {from.level == Uniform::Lanes ? Uniform::Mixed : from.level, false};
}

/// A value assigned where only some threads pass.
Uniform under(Uniform control, Uniform value) {
  if (control.level >= Uniform::Lanes)
    return kMixed;
  if (control.level == Uniform::Warp && value.level == Uniform::Block)
    value.level = Uniform::Warp;
  return value;
}

const clang::Expr& stripped(const clang::Expr& expression) {
  const clang::Expr* current = &expression;
  while (true) {
    const clang::Expr* next = current->IgnoreParens();
    if (const clang::FullExpr* const full = llvm::dyn_cast<clang::FullExpr>(next))
      next = full->getSubExpr();
    else if (const clang::MaterializeTemporaryExpr* const temporary =
                 llvm::dyn_cast<clang::MaterializeTemporaryExpr>(next))
      next = temporary->getSubExpr();
    else if (const clang::OpaqueValueExpr* const opaque =
                 llvm::dyn_cast<clang::OpaqueValueExpr>(next))
      next = opaque->getSourceExpr() ? opaque->getSourceExpr() : next;
    if (next == current)
      return *current;
    current = next;
  }
}

std::optional<llvm::APSInt> constantOf(const clang::Expr& expression, clang::ASTContext& context) {
  clang::Expr::EvalResult result;
  if (expression.isValueDependent() || !expression.getType()->isIntegralOrEnumerationType() ||
      !expression.EvaluateAsInt(result, context))
    return std::nullopt;
  return result.Val.getInt();
}

/// The value of an operand that is not constant: passes none of the tests below.
constexpr int64_t kNotConstant = std::numeric_limits<int64_t>::min();

/// (32k + lane) `kind` right, where right is the same in all lanes; `value` if it is constant.
Uniform combineLanes(clang::BinaryOperatorKind kind, Uniform right, int64_t value) {
  const bool whole = right.multipleOf32;
  const bool lowBits = value >= 31 && ((value + 1) & value) == 0;
  switch (kind) {
  case clang::BO_Add:
    return whole ? Uniform{Uniform::Lanes, false} : kMixed;
  case clang::BO_Rem:
    return whole ? Uniform{Uniform::Lanes, false} : kMixed;
  case clang::BO_Div:
  case clang::BO_LT:
  case clang::BO_GE:
    return whole ? Uniform{Uniform::Warp, false} : kMixed;
  case clang::BO_GT:
  case clang::BO_LE:
    return (value + 1) % 32 == 0 ? Uniform{Uniform::Warp, false} : kMixed;
  case clang::BO_Shr:
    return value >= 5 ? Uniform{Uniform::Warp, false} : kMixed;
  case clang::BO_And:
    return whole ? Uniform{Uniform::Warp, true} : lowBits ? Uniform{Uniform::Lanes, false} : kMixed;
  default:
    return kMixed;
  }
}

/// Both the same in all threads of a block or warp.
Uniform combineUniform(clang::BinaryOperatorKind kind, Uniform left, Uniform right,
                       int64_t rightValue) {
  Uniform result{std::max(left.level, right.level), false};
  if (kind == clang::BO_Mul || kind == clang::BO_And)
    result.multipleOf32 = left.multipleOf32 || right.multipleOf32;
  else if (kind == clang::BO_Add || kind == clang::BO_Sub)
    result.multipleOf32 = left.multipleOf32 && right.multipleOf32;
  else if (kind == clang::BO_Shl)
    result.multipleOf32 = left.multipleOf32 || rightValue >= 5;
  return result;
}

bool isConstantMemory(const clang::VarDecl& variable) {
  return variable.hasAttr<clang::CUDAConstantAttr>() || variable.isConstexpr() ||
         (variable.getType().isConstQualified() && !variable.hasAttr<clang::CUDASharedAttr>());
}

/// What cooperative_groups says about a thread's block or tile.
std::optional<Uniform> groupQuery(const clang::FunctionDecl& callee, bool wholeWarpRows) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  const std::string name = callee.getQualifiedNameAsString();
  const llvm::StringRef view = name;
  if (!method || !view.starts_with("cooperative_groups::"))
    return std::nullopt;
  const llvm::StringRef question = view.rsplit("::").second;
  const bool tile = view.contains("tile");
  if (!view.contains("thread_block"))
    return std::nullopt;
  if (question == "size" || question == "num_threads" || question == "group_dim" ||
      question == "dim_threads" || question == "meta_group_size")
    return kBlock;
  if (!tile && question == "thread_rank")
    return wholeWarpRows ? Uniform{Uniform::Lanes, false} : kMixed;
  return std::nullopt;
}

/// Loads through `const T* __restrict__`: the program promises that nobody writes there.
bool isReadOnlyPointer(const clang::Expr& base) {
  const clang::DeclRefExpr* const reference =
      llvm::dyn_cast<clang::DeclRefExpr>(base.IgnoreParenImpCasts());
  const clang::QualType type = reference ? reference->getDecl()->getType() : clang::QualType();
  return reference && type->isPointerType() && type.isRestrictQualified() &&
         type->getPointeeType().isConstQualified();
}

} // namespace

Uniformity::Uniformity(const clang::FunctionDecl& kernel, clang::CFG& cfg, bool wholeWarpRows)
    : context_(kernel.getASTContext()), wholeWarpRows_(wholeWarpRows) {
  for (const clang::ParmVarDecl* parameter : kernel.parameters())
    values_[parameter] = kBlock;
  for (const clang::VarDecl* variable : escapingVariables(*kernel.getBody()))
    values_[variable] = kMixed;
  iterate(cfg);
}

void Uniformity::iterate(clang::CFG& cfg) {
  clang::ControlDependencyCalculator dependencies(&cfg);
  bool changed = true;
  while (changed) {
    changed = false;
    for (clang::CFGBlock* block : cfg) {
      Uniform control = kBlock;
      std::vector<clang::CFGBlock*> pending = {block};
      std::set<clang::CFGBlock*> seen;
      while (!pending.empty()) {
        clang::CFGBlock* const current = pending.back();
        pending.pop_back();
        for (clang::CFGBlock* above : dependencies.getControlDependencies(current))
          if (seen.insert(above).second) {
            control = join(control, derived(branch(*above)));
            pending.push_back(above);
          }
      }
      for (const clang::CFGElement& element : *block)
        if (const std::optional<clang::CFGStmt> statement = element.getAs<clang::CFGStmt>())
          changed |= transfer(*statement->getStmt(), control);
    }
  }
}

bool Uniformity::assign(const clang::VarDecl& variable, Uniform value) {
  Uniform& slot = values_[&variable];
  const Uniform before = slot;
  slot = join(slot, value);
  return slot.level != before.level || slot.multipleOf32 != before.multipleOf32;
}

bool Uniformity::transfer(const clang::Stmt& statement, Uniform control) {
  if (const clang::DeclStmt* const declaration = llvm::dyn_cast<clang::DeclStmt>(&statement)) {
    bool changed = false;
    for (const clang::Decl* declared : declaration->decls())
      if (const clang::VarDecl* const variable = llvm::dyn_cast<clang::VarDecl>(declared)) {
        const bool opaque = variable->getType()->isReferenceType() ||
                            variable->hasAttr<clang::CUDASharedAttr>() || variable->isStaticLocal();
        if (opaque)
          changed |= assign(*variable, kMixed);
        else if (variable->getInit())
          changed |= assign(*variable, under(control, evaluate(*variable->getInit())));
      }
    return changed;
  }
  if (const clang::BinaryOperator* const operation =
          llvm::dyn_cast<clang::BinaryOperator>(&statement)) {
    const clang::VarDecl* const variable =
        operation->isAssignmentOp() ? assignedVariable(*operation->getLHS()) : nullptr;
    if (!variable)
      return false;
    Uniform value = operation->getOpcode() == clang::BO_Assign ? evaluate(*operation->getRHS())
                                                               : evaluateBinary(*operation);
    if (!llvm::isa<clang::DeclRefExpr>(operation->getLHS()->IgnoreParens()))
      value = kMixed.level == value.level ? kMixed : derived(value);
    return assign(*variable, under(control, value));
  }
  if (const clang::UnaryOperator* const operation =
          llvm::dyn_cast<clang::UnaryOperator>(&statement))
    if (operation->isIncrementDecrementOp())
      if (const clang::VarDecl* const variable = assignedVariable(*operation->getSubExpr()))
        return assign(*variable, under(control, derived(evaluate(*operation->getSubExpr()))));
  return false;
}

Uniform Uniformity::branch(const clang::CFGBlock& block) const {
  if (block.succ_size() < 2)
    return kBlock;
  const clang::Stmt* condition = block.getLastCondition();
  if (!condition)
    condition = block.getTerminatorCondition();
  const clang::Expr* const expression = llvm::dyn_cast_or_null<clang::Expr>(condition);
  return expression ? evaluate(*expression) : kMixed;
}

bool Uniformity::branchIsBlockUniform(const clang::CFGBlock& block) const {
  return branch(block).level <= Uniform::Block;
}

bool Uniformity::branchIsWarpUniform(const clang::CFGBlock& block) const {
  return branch(block).level <= Uniform::Warp;
}

Uniform Uniformity::evaluate(const clang::Expr& raw) const {
  const clang::Expr& expression = stripped(raw);
  if (const std::optional<llvm::APSInt> value = constantOf(expression, context_))
    return {Uniform::Block, value->extOrTrunc(64).getZExtValue() % 32 == 0};
  if (const clang::CastExpr* const cast = llvm::dyn_cast<clang::CastExpr>(&expression)) {
    const Uniform value = evaluate(*cast->getSubExpr());
    const clang::QualType type = cast->getType();
    return type->isIntegerType() && !type->isBooleanType() ? value : derived(value);
  }
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&expression))
    return evaluateReference(*reference);
  if (const auto* pseudo = llvm::dyn_cast<clang::PseudoObjectExpr>(&expression)) {
    const auto* member = llvm::dyn_cast<clang::MSPropertyRefExpr>(pseudo->getSyntacticForm());
    return member ? evaluateBuiltinMember(*member) : kMixed;
  }
  if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&expression))
    return evaluateBinary(*operation);
  if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(&expression)) {
    if (operation->getOpcode() == clang::UO_Deref || operation->getOpcode() == clang::UO_AddrOf)
      return kMixed;
    return derived(evaluate(*operation->getSubExpr()));
  }
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&expression))
    return under(derived(evaluate(*choice->getCond())),
                 join(evaluate(*choice->getTrueExpr()), evaluate(*choice->getFalseExpr())));
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&expression))
    return member->isArrow() ? kMixed : derived(evaluate(*member->getBase()));
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&expression)) {
    const Uniform index = derived(evaluate(*subscript->getIdx()));
    if (isReadOnlyPointer(*subscript->getBase()))
      return index;
    const clang::Expr* const base = subscript->getBase()->IgnoreParenImpCasts();
    return base->getType()->isArrayType() ? derived(join(index, evaluate(*base))) : kMixed;
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&expression))
    return evaluateCall(*call);
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&expression)) {
    Uniform value = kBlock;
    for (const clang::Expr* argument : construct->arguments())
      value = join(value, derived(evaluate(*argument)));
    return value;
  }
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&expression)) {
    Uniform value = kBlock;
    for (const clang::Expr* element : list->inits())
      value = join(value, derived(evaluate(*element)));
    return value;
  }
  const bool literal =
      llvm::isa<clang::FloatingLiteral, clang::CXXNullPtrLiteralExpr, clang::CXXDefaultArgExpr,
                clang::ImplicitValueInitExpr>(expression);
  return literal ? kBlock : kMixed;
}

Uniform Uniformity::evaluateReference(const clang::DeclRefExpr& reference) const {
  const clang::VarDecl* const variable = llvm::dyn_cast<clang::VarDecl>(reference.getDecl());
  if (!variable)
    return kBlock;
  if (variable->getType()->isReferenceType())
    return kMixed;
  if (variable->isLocalVarDeclOrParm() && !variable->isStaticLocal()) {
    const std::map<const clang::VarDecl*, Uniform>::const_iterator known = values_.find(variable);
    return known == values_.end() ? Uniform{} : known->second;
  }
  const clang::IdentifierInfo* const name = variable->getIdentifier();
  if (name && (name->isStr("blockIdx") || name->isStr("gridDim") || name->isStr("blockDim")))
    return kBlock;
  return !(name && name->isStr("threadIdx")) && isConstantMemory(*variable) ? kBlock : kMixed;
}

Uniform Uniformity::evaluateBuiltinMember(const clang::MSPropertyRefExpr& member) const {
  const auto* base = llvm::dyn_cast<clang::DeclRefExpr>(&stripped(*member.getBaseExpr()));
  const clang::IdentifierInfo* const object = base ? base->getDecl()->getIdentifier() : nullptr;
  const bool isX = member.getPropertyDecl()->getName() == "x";
  if (!object)
    return kMixed;
  if (object->isStr("blockDim"))
    return {Uniform::Block, isX && wholeWarpRows_};
  if (object->isStr("blockIdx") || object->isStr("gridDim"))
    return kBlock;
  if (object->isStr("threadIdx") && wholeWarpRows_)
    return {isX ? Uniform::Lanes : Uniform::Warp, false};
  return kMixed;
}

Uniform Uniformity::evaluateCall(const clang::CallExpr& call) const {
  const clang::FunctionDecl* const callee = call.getDirectCallee();
  if (!callee)
    return kMixed;
  const std::string name = callee->getNameAsString();
  if (const std::optional<Uniform> value = groupQuery(*callee, wholeWarpRows_))
    return *value;
  switch (intrinsicOf(*callee)) {
  case Intrinsic::CountingBarrier:
    return kBlock;
  case Intrinsic::WarpPrimitive:
    return llvm::StringRef(name).starts_with("__any") ||
                   llvm::StringRef(name).starts_with("__all") ||
                   llvm::StringRef(name).starts_with("__ballot")
               ? Uniform{Uniform::Warp, false}
               : kMixed;
  case Intrinsic::BlockBarrier:
  case Intrinsic::Atomic:
    return kMixed;
  case Intrinsic::None:
    break;
  }
  const clang::SourceManager& sources = context_.getSourceManager();
  const bool system = callee->getBuiltinID() || sources.isInSystemHeader(callee->getLocation());
  if (!system || call.getNumArgs() == 0)
    return kMixed;
  Uniform value = kBlock;
  for (const clang::Expr* argument : call.arguments())
    value = argument->getType()->isArithmeticType() && argument->isPRValue()
                ? join(value, derived(evaluate(*argument)))
                : kMixed;
  return value;
}

Uniform Uniformity::evaluateBinary(const clang::BinaryOperator& operation) const {
  clang::BinaryOperatorKind kind = operation.getOpcode();
  if (kind == clang::BO_Assign || kind == clang::BO_Comma)
    return evaluate(*operation.getRHS());
  if (operation.isCompoundAssignmentOp())
    kind = clang::BinaryOperator::getOpForCompoundAssignment(kind);
  Uniform left = evaluate(*operation.getLHS()), right = evaluate(*operation.getRHS());
  const clang::Expr* rightExpression = operation.getRHS();
  if (left.level == Uniform::Unset || right.level == Uniform::Unset)
    return {};
  if (left.level != Uniform::Lanes && right.level == Uniform::Lanes &&
      (kind == clang::BO_Add || kind == clang::BO_And ||
       clang::BinaryOperator::isComparisonOp(kind))) {
    std::swap(left, right);
    rightExpression = operation.getLHS();
    if (clang::BinaryOperator::isRelationalOp(kind))
      kind = clang::BinaryOperator::reverseComparisonOp(kind);
  }
  const std::optional<llvm::APSInt> constant = constantOf(stripped(*rightExpression), context_);
  const int64_t value =
      constant && constant->getSignificantBits() <= 62 ? constant->getExtValue() : kNotConstant;
  if (left.level == Uniform::Lanes)
    return right.level <= Uniform::Warp ? combineLanes(kind, right, value) : kMixed;
  if (right.level >= Uniform::Lanes || left.level == Uniform::Mixed)
    return kMixed;
  return combineUniform(kind, left, right, value);
}

} // namespace gpusched::passes
