// Uniformity.cpp - the abstract interpretation behind Uniformity.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start with every local unset and apply the statements of each block to what its predecessors
// leave, until nothing rises any more; an assignment replaces what the variable held. Values at the
// end of a block only rise, so it ends; in practice after three rounds.
// Arithmetic rules that are not obvious, for 32 lanes: with x = 32k + lane and c a multiple of 32,
//   x + c, x % c, x & (2^n - 1) for n >= 5   stay of that form (Lanes)
//   x / c, x >> 5, x < c, x >= c, x & ~31    are the same in all lanes of a warp (Warp)
//   but x / c and x % c only of an x that is not negative: those are rounded towards 0
//   x - y, x < y with y of that form as well  are too
#include "passes/analysis/Uniformity.h"

#include "passes/analysis/BuiltinVariables.h"
#include "passes/analysis/Expressions.h"
#include "passes/analysis/FunctionUses.h"
#include "passes/analysis/SharedObjects.h"
#include "passes/analysis/VariableEscape.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/Analyses/Dominators.h"
#include "clang/Basic/SourceManager.h"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace gpusched::passes {
namespace {

constexpr Uniform kMixed{Uniform::Mixed, false};
constexpr Uniform kBlock{Uniform::Block, false};

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

/// The value of an operand that is not constant: passes none of the tests below.
constexpr int64_t kNotConstant = std::numeric_limits<int64_t>::min();

/// Is 2^value a multiple of the number of lanes?
bool shiftsOut(int64_t value, int64_t lanes) {
  return value >= 0 && value < 63 && (int64_t{1} << value) >= lanes;
}

/// (32k + lane) `kind` right, where right is the same in all lanes; `value` if it is constant.
Uniform combineLanes(clang::BinaryOperatorKind kind, Uniform right, int64_t value, int64_t lanes) {
  const bool whole = right.isMultiple;
  const bool lowBits = value >= lanes - 1 && ((value + 1) & value) == 0;
  switch (kind) {
  case clang::BO_Add:
  case clang::BO_Rem:
    return whole ? Uniform{Uniform::Lanes, false} : kMixed;
  case clang::BO_Div:
  case clang::BO_LT:
  case clang::BO_GE:
    return whole ? Uniform{Uniform::Warp, false} : kMixed;
  case clang::BO_GT:
  case clang::BO_LE:
    return (value + 1) % lanes == 0 ? Uniform{Uniform::Warp, false} : kMixed;
  case clang::BO_Shr:
    return shiftsOut(value, lanes) ? Uniform{Uniform::Warp, false} : kMixed;
  case clang::BO_And:
    return whole ? Uniform{Uniform::Warp, true} : lowBits ? Uniform{Uniform::Lanes, false} : kMixed;
  default:
    return kMixed;
  }
}

/// (32k + lane) `kind` (32m + lane).
Uniform combineTwoLanes(clang::BinaryOperatorKind kind) {
  if (kind == clang::BO_Sub)
    return {Uniform::Warp, true};
  return clang::BinaryOperator::isComparisonOp(kind) ? Uniform{Uniform::Warp, false} : kMixed;
}

/// Both the same in all threads of a block or warp.
Uniform combineUniform(clang::BinaryOperatorKind kind, Uniform left, Uniform right,
                       int64_t rightValue, int64_t lanes) {
  Uniform result{std::max(left.level, right.level), false};
  if (kind == clang::BO_Mul || kind == clang::BO_And)
    result.isMultiple = left.isMultiple || right.isMultiple;
  else if (kind == clang::BO_Add || kind == clang::BO_Sub)
    result.isMultiple = left.isMultiple && right.isMultiple;
  else if (kind == clang::BO_Shl)
    result.isMultiple = left.isMultiple || shiftsOut(rightValue, lanes);
  return result;
}

bool isConstantMemory(const clang::VarDecl& variable) {
  return variable.hasAttr<clang::CUDAConstantAttr>() || variable.isConstexpr() ||
         (variable.getType().isConstQualified() && !isShared(variable));
}

/// Does the parameter show its argument, and nothing that others may change meanwhile?
bool onlyShows(const clang::ParmVarDecl& parameter) {
  return isConstReference(parameter.getType()) &&
         !parameter.getType().getNonReferenceType().isVolatileQualified();
}

/// Is there nothing in an object of this class, as in an Int<8> or a tag?
bool isEmpty(clang::QualType type) {
  const clang::CXXRecordDecl* const record = type->getAsCXXRecordDecl();
  return record && record->hasDefinition() && record->isEmpty();
}

/// Could what has this type hold a pointer?
bool mayLeadToMemory(clang::QualType type) {
  return type->isPointerType() || type->isRecordType();
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

Uniform join(Uniform a, Uniform b) {
  if (a.level == Uniform::Unset)
    return b;
  if (b.level == Uniform::Unset)
    return a;
  const bool oneHasLanes = (a.level == Uniform::Lanes) != (b.level == Uniform::Lanes);
  if (oneHasLanes)
    return kMixed;
  return {std::max(a.level, b.level), a.isMultiple && b.isMultiple,
          a.mayBeNegative || b.mayBeNegative};
}

Uniform derived(Uniform from) {
  return {from.level == Uniform::Lanes ? Uniform::Mixed : from.level, false};
}

Uniformity::Uniformity(const clang::FunctionDecl& kernel, clang::CFG& cfg, CallGraph& calls,
                       UniformityAssumptions assume)
    : context_(kernel.getASTContext()), calls_(calls), assume_(assume),
      escaping_(escapingVariables(*kernel.getBody())) {
  atEnd_.resize(cfg.getNumBlockIDs());
  Values& start = atEnd_[cfg.getEntry().getBlockID()];
  std::size_t index = 0;
  for (const clang::ParmVarDecl* parameter : kernel.parameters()) {
    const CallValues* const given = assume_.values;
    const Uniform value = !given                            ? kBlock
                          : index < given->arguments.size() ? given->arguments[index]
                                                            : kMixed;
    valueIn(start, *parameter) = escaping_.count(parameter) ? kMixed : value;
    ++index;
  }
  iterate(cfg);
}

Uniform& Uniformity::valueIn(Values& values, const clang::VarDecl& variable) const {
  const unsigned number = numbers_.try_emplace(&variable, numbers_.size()).first->second;
  if (values.size() <= number)
    values.resize(number + 1);
  return values[number];
}

/// The low 64 bits of what the expression is for every thread.
std::optional<int64_t> Uniformity::constantOf(const clang::Expr& expression) const {
  const auto [known, isNew] = constants_.try_emplace(&expression);
  clang::Expr::EvalResult result;
  if (isNew && !expression.isValueDependent() &&
      expression.getType()->isIntegralOrEnumerationType() &&
      expression.EvaluateAsInt(result, context_))
    known->second = result.Val.getInt().extOrTrunc(64).getSExtValue();
  return known->second;
}

/// Of each block, by its ID, those at whose end it is decided whether it is reached. What Clang
/// calculates is closed already: what decides about these is among them.
static std::vector<std::vector<unsigned>> controllingBlocks(clang::CFG& cfg) {
  clang::ControlDependencyCalculator dependencies(&cfg);
  std::vector<std::vector<unsigned>> controlling(cfg.getNumBlockIDs());
  for (clang::CFGBlock* block : cfg)
    for (const clang::CFGBlock* above : dependencies.getControlDependencies(block))
      controlling[block->getBlockID()].push_back(above->getBlockID());
  return controlling;
}

void Uniformity::iterate(clang::CFG& cfg) {
  const std::vector<std::vector<unsigned>> controlling = controllingBlocks(cfg);
  branches_.resize(cfg.getNumBlockIDs());
  for (const clang::CFGBlock* block : cfg)
    branches_[block->getBlockID()] = branchOf(*block);
  for (bool changed = true; changed;) {
    changed = false;
    for (clang::CFG::reverse_iterator next = cfg.rbegin(); next != cfg.rend(); ++next) {
      const clang::CFGBlock& block = **next;
      Uniform control = kBlock;
      for (const unsigned above : controlling[block.getBlockID()])
        control = join(control, derived(branches_[above]));
      if (!run(block, control))
        continue;
      branches_[block.getBlockID()] = branchOf(block);
      changed = true;
    }
  }
}

/// The statements of one block, from what its predecessors leave.
bool Uniformity::run(const clang::CFGBlock& block, Uniform control) {
  values_ = block.pred_empty() ? atEnd_[block.getBlockID()] : Values{};
  const auto joinInto = [](Values& values, const Values& others) {
    values.resize(std::max(values.size(), others.size()));
    for (std::size_t number = 0; number < others.size(); ++number)
      values[number] = join(values[number], others[number]);
  };
  for (const clang::CFGBlock::AdjacentBlock& edge : block.preds())
    if (const clang::CFGBlock* const before = edge.getReachableBlock())
      joinInto(values_, atEnd_[before->getBlockID()]);
  for (const clang::CFGElement& element : block)
    if (const std::optional<clang::CFGStmt> statement = element.getAs<clang::CFGStmt>())
      visit(*statement->getStmt(), control);
  Values risen = atEnd_[block.getBlockID()];
  joinInto(risen, values_);
  std::swap(risen, atEnd_[block.getBlockID()]);
  return risen != atEnd_[block.getBlockID()];
}

void Uniformity::assign(const clang::VarDecl& variable, Uniform value, bool whole) {
  if (escaping_.count(&variable))
    value = kMixed;
  Uniform& slot = valueIn(values_, variable);
  slot = whole ? value : join(slot, value);
}

void Uniformity::transferDeclaration(const clang::DeclStmt& declaration, Uniform control) {
  for (const clang::Decl* declared : declaration.decls()) {
    const clang::VarDecl* const variable = llvm::dyn_cast<clang::VarDecl>(declared);
    if (!variable)
      continue;
    const bool opaque =
        variable->getType()->isReferenceType() || isShared(*variable) || variable->isStaticLocal();
    if (opaque || escaping_.count(variable))
      assign(*variable, kMixed, true);
    else if (variable->getInit())
      assign(*variable, under(control, evaluate(*variable->getInit())), true);
  }
}

void Uniformity::visit(const clang::Stmt& statement, Uniform control) {
  if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(statement))
    noteCall(llvm::cast<clang::Expr>(statement));
  transfer(statement, control);
}

void Uniformity::noteCall(const clang::Expr& call) {
  const auto* plain = llvm::dyn_cast<clang::CallExpr>(&call);
  const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&call);
  const clang::FunctionDecl* const callee =
      plain ? plain->getDirectCallee() : construct->getConstructor();
  if (!callee || !callee->hasBody())
    return;
  CallValues& values = handedOn_.try_emplace(&call, CallValues{{}, {}}).first->second;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  values.object =
      plain && method && method->isConst() ? join(values.object, objectOf(*plain)) : kMixed;
  const bool objectFirst = llvm::isa<clang::CXXOperatorCallExpr>(call) && method;
  const unsigned count = (plain ? plain->getNumArgs() : construct->getNumArgs()) - objectFirst;
  values.arguments.resize(count);
  for (unsigned index = 0; index < count; ++index) {
    const clang::Expr& argument =
        plain ? *plain->getArg(index + objectFirst) : *construct->getArg(index);
    values.arguments[index] = join(values.arguments[index], evaluate(argument));
  }
}

CallValues Uniformity::valuesAt(const clang::Expr& call) const {
  const std::map<const clang::Expr*, CallValues>::const_iterator known = handedOn_.find(&call);
  return known == handedOn_.end() ? CallValues{} : known->second;
}

/// What a member function of the call's object reads there.
Uniform Uniformity::objectOf(const clang::CallExpr& call) const {
  if (llvm::isa<clang::CXXOperatorCallExpr>(call))
    return derived(evaluate(*call.getArg(0)));
  const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call);
  if (!member)
    return kMixed;
  const clang::Expr& object = *member->getImplicitObjectArgument();
  const bool isPointer = object.getType()->isPointerType();
  const Uniform value = derived(evaluate(object));
  return !isPointer || llvm::isa<clang::CXXThisExpr>(object.IgnoreParenImpCasts())
             ? value
             : loadedFrom(object, value);
}

/// `place` is the variable or a part of it. Which part it is may depend on the thread.
void Uniformity::assignTo(const clang::Expr& place, const clang::VarDecl& variable, Uniform value,
                          Uniform control) {
  const bool whole = llvm::isa<clang::DeclRefExpr>(place.IgnoreParens());
  if (!whole)
    value = join(derived(value), derived(evaluate(place)));
  assign(variable, under(control, value), whole);
}

void Uniformity::transfer(const clang::Stmt& statement, Uniform control) {
  if (const clang::DeclStmt* const declaration = llvm::dyn_cast<clang::DeclStmt>(&statement))
    return transferDeclaration(*declaration, control);
  if (const clang::BinaryOperator* const operation =
          llvm::dyn_cast<clang::BinaryOperator>(&statement)) {
    const clang::VarDecl* const variable =
        operation->isAssignmentOp() ? assignedVariable(*operation->getLHS()) : nullptr;
    if (!variable)
      return;
    const Uniform value = operation->getOpcode() == clang::BO_Assign
                              ? evaluate(*operation->getRHS())
                              : evaluateBinary(*operation);
    assignTo(*operation->getLHS(), *variable, value, control);
  }
  if (const clang::CallExpr* const call = llvm::dyn_cast<clang::CallExpr>(&statement))
    if (const clang::Expr* const object = assignedObject(*call))
      if (const clang::VarDecl* const variable = assignedVariable(*object))
        assignTo(*object, *variable, evaluate(*call->getArg(1)), control);
  if (const clang::UnaryOperator* const operation =
          llvm::dyn_cast<clang::UnaryOperator>(&statement))
    if (operation->isIncrementDecrementOp())
      if (const clang::VarDecl* const variable = assignedVariable(*operation->getSubExpr()))
        assign(*variable, under(control, derived(evaluate(*operation->getSubExpr()))), false);
}

Uniform Uniformity::branchOf(const clang::CFGBlock& block) const {
  if (block.succ_size() < 2)
    return kBlock;
  values_ = atEnd_[block.getBlockID()];
  const clang::Stmt* condition = block.getLastCondition();
  if (!condition)
    condition = block.getTerminatorCondition();
  const clang::Expr* const expression = llvm::dyn_cast_or_null<clang::Expr>(condition);
  return expression ? evaluate(*expression) : kMixed;
}

bool Uniformity::branchIsBlockUniform(const clang::CFGBlock& block) const {
  return branches_[block.getBlockID()].level <= Uniform::Block;
}

bool Uniformity::branchIsWarpUniform(const clang::CFGBlock& block) const {
  return branches_[block.getBlockID()].level <= Uniform::Warp;
}

Uniform Uniformity::evaluate(const clang::Expr& raw) const {
  const clang::Expr& expression = stripped(raw);
  if (const std::optional<int64_t> value = constantOf(expression))
    return {Uniform::Block, *value % assume_.lanes == 0, *value < 0 || *value > INT32_MAX};
  if (isEmpty(expression.getType()))
    return kBlock;
  if (const clang::CastExpr* const cast = llvm::dyn_cast<clang::CastExpr>(&expression))
    return evaluateCast(*cast);
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&expression))
    return evaluateReference(*reference);
  if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&expression))
    return evaluateBinary(*operation);
  if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(&expression))
    return evaluateUnary(*operation);
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&expression))
    return under(derived(evaluate(*choice->getCond())),
                 join(evaluate(*choice->getTrueExpr()), evaluate(*choice->getFalseExpr())));
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&expression))
    return evaluateMember(*member);
  if (llvm::isa<clang::CXXThisExpr>(expression))
    return assume_.values ? derived(assume_.values->object) : kMixed;
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&expression))
    return evaluateSubscript(*subscript);
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&expression))
    return evaluateCall(*call);
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&expression))
    return evaluateConstruct(*construct);
  if (const auto* standard = llvm::dyn_cast<clang::CXXDefaultArgExpr>(&expression))
    return evaluate(*standard->getExpr());
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&expression)) {
    if (list->getNumInits() == 1 && list->getType()->isArithmeticType())
      return evaluate(*list->getInit(0)); // long{threadIdx.x}
    Uniform value = kBlock;
    for (const clang::Expr* element : list->inits())
      value = join(value, derived(evaluate(*element)));
    return value;
  }
  const bool literal =
      llvm::isa<clang::FloatingLiteral, clang::CXXNullPtrLiteralExpr, clang::ImplicitValueInitExpr>(
          expression);
  return literal ? kBlock : kMixed;
}

/// A short may hold a negative number where an int did not.
Uniform Uniformity::evaluateCast(const clang::CastExpr& cast) const {
  Uniform value = evaluate(*cast.getSubExpr());
  const clang::QualType type = cast.getType();
  if (!type->isIntegerType() || type->isBooleanType())
    return derived(value);
  value.mayBeNegative |= type->isSignedIntegerType() && context_.getTypeSize(type) < 32;
  return value;
}

/// The value at an address.
Uniform Uniformity::loadedFrom(const clang::Expr& place, Uniform address) const {
  const bool isVolatile = context_.getBaseElementType(place.getType()).isVolatileQualified();
  return assume_.raceFree && !isVolatile ? address : kMixed;
}

/// Where an lvalue is. A local variable is at another place for each thread, whatever its address.
Uniform Uniformity::addressOf(const clang::Expr& place) const {
  const clang::Expr& current = *place.IgnoreParenImpCasts();
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&current)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    const bool isOnePlace =
        variable && variable->hasGlobalStorage() && !variable->getType()->isReferenceType();
    return isOnePlace ? kBlock : kMixed;
  }
  if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(&current))
    return operation->getOpcode() == clang::UO_Deref ? derived(evaluate(*operation->getSubExpr()))
                                                     : kMixed;
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&current)) {
    const clang::Expr& base = *subscript->getBase()->IgnoreParenImpCasts();
    const Uniform start = base.getType()->isArrayType() ? addressOf(base) : evaluate(base);
    return derived(join(start, evaluate(*subscript->getIdx())));
  }
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&current);
  if (!member || member->getMemberDecl()->getType()->isReferenceType() ||
      llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()))
    return kMixed;
  return member->isArrow() ? derived(evaluate(*member->getBase())) : addressOf(*member->getBase());
}

Uniform Uniformity::evaluateUnary(const clang::UnaryOperator& operation) const {
  if (operation.getOpcode() == clang::UO_AddrOf)
    return addressOf(*operation.getSubExpr());
  const Uniform operand = derived(evaluate(*operation.getSubExpr()));
  if (operation.getOpcode() != clang::UO_Deref || isReadOnlyPointer(*operation.getSubExpr()))
    return operand;
  return loadedFrom(operation, operand);
}

Uniform Uniformity::evaluateSubscript(const clang::ArraySubscriptExpr& subscript) const {
  const Uniform index = derived(evaluate(*subscript.getIdx()));
  if (isReadOnlyPointer(*subscript.getBase()))
    return index;
  const clang::Expr* const base = subscript.getBase()->IgnoreParenImpCasts();
  const Uniform address = derived(join(index, evaluate(*base)));
  return base->getType()->isArrayType() ? address : loadedFrom(subscript, address);
}

Uniform Uniformity::evaluateReference(const clang::DeclRefExpr& reference) const {
  const clang::VarDecl* const variable = llvm::dyn_cast<clang::VarDecl>(reference.getDecl());
  if (!variable)
    return llvm::isa<clang::BindingDecl>(reference.getDecl()) ? kMixed : kBlock;
  if (reference.refersToEnclosingVariableOrCapture())
    return kMixed;
  const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable);
  const bool isOpaque =
      variable->getType()->isReferenceType() && !(parameter && onlyShows(*parameter));
  if (isOpaque || escaping_.count(variable))
    return isShared(*variable) ? loadedFrom(reference, kBlock) : kMixed;
  if (isShared(*variable))
    return loadedFrom(reference, kBlock);
  if (variable->isLocalVarDeclOrParm() && !variable->isStaticLocal()) {
    const auto known = numbers_.find(variable);
    return known != numbers_.end() && known->second < values_.size() ? values_[known->second]
                                                                     : Uniform{};
  }
  if (isBuiltinVariable(*variable))
    return variable->getName() == "threadIdx" ? kMixed : kBlock;
  return isConstantMemory(*variable) ? kBlock : loadedFrom(reference, kBlock);
}

Uniform Uniformity::evaluateBuiltinMember(llvm::StringRef variable, llvm::StringRef member) const {
  const bool isX = member == "x";
  if (variable == "blockDim")
    return {Uniform::Block, isX && assume_.wholeWarpRows, false};
  if (variable != "threadIdx")
    return {Uniform::Block, false, false};
  if (assume_.wholeWarpRows)
    return {isX ? Uniform::Lanes : Uniform::Warp, false, false};
  return kMixed;
}

Uniform Uniformity::evaluateCall(const clang::CallExpr& call) const {
  const clang::FunctionDecl* const callee = call.getDirectCallee();
  if (!callee)
    return kMixed;
  const std::string name = callee->getNameAsString();
  if (const std::optional<Uniform> value = evaluateGroup(call, *callee))
    return *value;
  switch (intrinsicOf(*callee)) {
  case Intrinsic::CountingBarrier:
    return kBlock;
  case Intrinsic::WarpPrimitive:
    return evaluateWarpPrimitive(call, name);
  case Intrinsic::BlockBarrier:
  case Intrinsic::Atomic:
    return kMixed;
  case Intrinsic::None:
    break;
  }
  if (name == "__ldg" && call.getNumArgs() == 1)
    return derived(evaluate(*call.getArg(0)));
  const clang::SourceManager& sources = context_.getSourceManager();
  const bool system = callee->getBuiltinID() || sources.isInSystemHeader(callee->getLocation());
  const bool isKnown =
      !system || (assume_.raceFree && !callee->getBuiltinID() && callee->hasBody());
  return isKnown ? evaluateUserCall(call, *callee) : evaluateSystemCall(call, *callee);
}

/// A function of a library: arithmetic, min and the like. Not what asks its object or memory, such
/// as an array's at(), nor malloc, which gives each thread a place of its own.
Uniform Uniformity::evaluateSystemCall(const clang::CallExpr& call,
                                       const clang::FunctionDecl& callee) const {
  if (call.getNumArgs() == 0 || llvm::isa<clang::CXXMemberCallExpr>(call) ||
      call.getType()->isPointerType() || (callee.hasBody() && calls_.asksAboutThread(callee)))
    return kMixed;
  Uniform value = kBlock;
  for (unsigned index = 0; index < call.getNumArgs(); ++index) {
    const clang::Expr& argument = *call.getArg(index);
    const bool isRead = argument.isPRValue() || // or std::min's
                        (index < callee.getNumParams() && onlyShows(*callee.getParamDecl(index)));
    value = argument.getType()->isArithmeticType() && isRead
                ? join(value, derived(evaluate(argument)))
                : kMixed;
  }
  return value;
}

/// Lanes that execute __activemask() together get one answer.
bool Uniformity::isCommonMask(const clang::Expr& mask) const {
  const auto* asked = llvm::dyn_cast<clang::CallExpr>(&stripped(*mask.IgnoreImpCasts()));
  const clang::FunctionDecl* const callee = asked ? asked->getDirectCallee() : nullptr;
  return (callee && callee->getNameAsString() == "__activemask") ||
         evaluate(mask).level <= Uniform::Warp;
}

/// Votes and reductions give all lanes of the mask one value; a shuffle does if all read from the
/// same lane. That is the warp's value where the mask names the whole warp, or a vote's is one that
/// the lanes have in common.
Uniform Uniformity::evaluateWarpPrimitive(const clang::CallExpr& call, llvm::StringRef name) const {
  constexpr Uniform warp{Uniform::Warp, false};
  if (call.getNumArgs() < 2)
    return kMixed;
  if (name.starts_with("__any") || name.starts_with("__all") || name.starts_with("__ballot"))
    return isCommonMask(*call.getArg(0)) ? warp : kMixed;
  const std::optional<int64_t> mask = constantOf(stripped(*call.getArg(0)));
  if (!mask || static_cast<uint32_t>(*mask) != 0xffffffffu)
    return kMixed;
  if (name.starts_with("__reduce"))
    return warp;
  const bool wholeWidth =
      call.getNumArgs() < 4 || llvm::isa<clang::CXXDefaultArgExpr>(call.getArg(3));
  return name == "__shfl_sync" && wholeWidth && evaluate(*call.getArg(2)).level <= Uniform::Warp
             ? warp
             : kMixed;
}

/// Of a function that is one expression, that expression: threadId(), warpOf(i), roundUp(n, 64).
std::optional<Uniform> Uniformity::evaluateReturned(const clang::CallExpr& call,
                                                    const clang::FunctionDecl& callee) const {
  constexpr unsigned maximumDepth = 4;
  const clang::Expr* const returned = onlyReturned(callee);
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  const clang::FunctionDecl* definition = nullptr;
  if (!returned || (method && !method->isStatic()) || depth_ == maximumDepth ||
      llvm::isa<clang::CXXOperatorCallExpr>(call) || !callee.hasBody(definition) ||
      call.getNumArgs() != definition->getNumParams())
    return std::nullopt;
  Values inside;
  for (unsigned index = 0; index < call.getNumArgs(); ++index) {
    const clang::ParmVarDecl& parameter = *definition->getParamDecl(index);
    if ((parameter.getType()->isReferenceType() && !onlyShows(parameter)) ||
        assignmentsOf(parameter, *definition->getBody()) != 0u)
      return std::nullopt;
    const Uniform given = evaluate(*call.getArg(index));
    valueIn(inside, parameter) = given;
  }
  std::swap(values_, inside);
  ++depth_;
  const Uniform value = evaluate(*returned);
  --depth_;
  std::swap(values_, inside);
  return value;
}

/// A function that asks nothing about its thread gives equal threads equal results. What it loads
/// is as uniform as the addresses, which come from its arguments.
Uniform Uniformity::evaluateUserCall(const clang::CallExpr& call,
                                     const clang::FunctionDecl& callee) const {
  if (const std::optional<Uniform> value = evaluateReturned(call, callee))
    return *value;
  if (!assume_.raceFree || calls_.asksAboutThread(callee))
    return kMixed;
  const bool holdsPlaces = mayHoldPlaces(call.getType());
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  const bool hasObject = method && method->isInstance();
  if (holdsPlaces && hasObject && handsOutObject(*method))
    return kMixed;
  Uniform value = kBlock;
  if (llvm::isa<clang::CXXMemberCallExpr>(call))
    value = objectOf(call);
  const bool objectFirst = hasObject && llvm::isa<clang::CXXOperatorCallExpr>(call);
  for (unsigned index = 0; index < call.getNumArgs(); ++index) {
    const clang::Expr& argument = *call.getArg(index);
    const unsigned place = index - objectFirst;
    const bool byReference =
        !(objectFirst && index == 0) && (place >= callee.getNumParams() ||
                                         callee.getParamDecl(place)->getType()->isReferenceType());
    value =
        join(value, derived(holdsPlaces && byReference ? addressOf(argument) : evaluate(argument)));
  }
  return value;
}

/// A constructor that may load through a pointer is a function like any other.
Uniform Uniformity::evaluateConstruct(const clang::CXXConstructExpr& construct) const {
  const clang::CXXConstructorDecl& constructor = *construct.getConstructor();
  const clang::SourceManager& sources = context_.getSourceManager();
  const bool isPlain = constructor.isTrivial() ||
                       (constructor.isDefaulted() && constructor.isCopyOrMoveConstructor()) ||
                       sources.isInSystemHeader(constructor.getLocation());
  if (!isPlain && calls_.asksAboutThread(constructor))
    return kMixed;
  Uniform value = kBlock;
  for (const clang::Expr* argument : construct.arguments())
    value = join(value, !isPlain && !assume_.raceFree && mayLeadToMemory(argument->getType())
                            ? kMixed
                            : derived(evaluate(*argument)));
  return value;
}

Uniform Uniformity::evaluateMember(const clang::MemberExpr& member) const {
  if (const clang::ValueDecl* const variable = builtinOf(member))
    return evaluateBuiltinMember(variable->getName(), member.getMemberDecl()->getName());
  const Uniform base = derived(evaluate(*member.getBase()));
  const bool isOwn = llvm::isa<clang::CXXThisExpr>(member.getBase()->IgnoreParenImpCasts());
  const bool loads =
      (member.isArrow() && !isOwn) || member.getMemberDecl()->getType()->isReferenceType();
  return loads ? loadedFrom(member, base) : base;
}

Uniform Uniformity::evaluateBinary(const clang::BinaryOperator& operation) const {
  clang::BinaryOperatorKind kind = operation.getOpcode();
  if (kind == clang::BO_Assign || kind == clang::BO_Comma)
    return evaluate(*operation.getRHS());
  if (operation.isCompoundAssignmentOp())
    kind = clang::BinaryOperator::getOpForCompoundAssignment(kind);
  const Uniform left = evaluate(*operation.getLHS()), right = evaluate(*operation.getRHS());
  Uniform result = combine(operation, kind, left, right);
  const bool keepsSign = kind != clang::BO_Sub && kind != clang::BO_Shl;
  result.mayBeNegative = !keepsSign || left.mayBeNegative || right.mayBeNegative;
  return result;
}

Uniform Uniformity::combine(const clang::BinaryOperator& operation, clang::BinaryOperatorKind kind,
                            Uniform left, Uniform right) const {
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
  constexpr int64_t limit = int64_t(1) << 61; // within it no rule overflows
  const std::optional<int64_t> constant = constantOf(stripped(*rightExpression));
  const int64_t value =
      constant && -limit <= *constant && *constant < limit ? *constant : kNotConstant;
  if (left.level == Uniform::Lanes && right.level == Uniform::Lanes)
    return combineTwoLanes(kind);
  const bool isRounded = kind == clang::BO_Div || kind == clang::BO_Rem;
  if (left.level == Uniform::Lanes && isRounded && left.mayBeNegative &&
      operation.getLHS()->getType()->isSignedIntegerType())
    return kMixed;
  if (left.level == Uniform::Lanes)
    return right.level <= Uniform::Warp ? combineLanes(kind, right, value, assume_.lanes) : kMixed;
  if (right.level >= Uniform::Lanes || left.level == Uniform::Mixed)
    return kMixed;
  return combineUniform(kind, left, right, value, assume_.lanes);
}

} // namespace gpusched::passes
