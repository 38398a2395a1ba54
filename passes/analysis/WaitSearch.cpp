// WaitSearch.cpp - the searches of WaitSearch.h on Clang's CFG.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A statement is judged with what it contains; Clang lists subexpressions one by one before it.
#include "passes/analysis/WaitSearch.h"

#include "passes/analysis/Expressions.h"
#include "passes/analysis/LaneMasks.h"
#include "passes/analysis/VariableEscape.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include <algorithm>
#include <utility>

namespace gpusched::passes {
namespace {

void keepFirst(UseSite& site, const UseSite& found) {
  if (!site)
    site = found;
}

/// A call out of the kernel: its callees' waits count at the place of the call. `lanes`: that
/// `caller` takes down.
void addCallees(Waits& waits, const FunctionUses& uses, const clang::FunctionDecl& caller,
                const FormedLanes& lanes, CallGraph& calls) {
  for (const CallSite& call : uses.calls) {
    const auto through = [&](UseSite FunctionUses::* kind, UseSite& slot) {
      const std::optional<CalleeUse> use = calls.findFrom(call, kind);
      const bool isGroup =
          kind == &FunctionUses::groupPrimitive || kind == &FunctionUses::opaqueGroup;
      if (use && (!isGroup || losesGroupLanes(*use->function, calls)))
        keepFirst(slot,
                  {call.where, use->site.what + " in '" + use->function->getNameAsString() + "'"});
    };
    const std::optional<CalleeUse> barrier = calls.findFrom(call, &FunctionUses::plainBarrier);
    through(&FunctionUses::plainBarrier, barrier && isLibraryFunction(*barrier->function)
                                             ? waits.libraryBarrier
                                             : waits.calleeBarrier);
    through(&FunctionUses::countingBarrier, waits.countingBarrier);
    through(&FunctionUses::opaqueBarrier, waits.opaqueBarrier);
    through(&FunctionUses::hiddenBarrier, waits.opaqueBarrier);
    const NamedLanes named = lanesNamedBehind(call, caller, lanes, calls);
    if (named == NamedLanes::Formed) {
      if (!waits.formsLanes) {
        through(&FunctionUses::warpPrimitive, waits.groupPrimitive);
        through(&FunctionUses::libraryPrimitive, waits.opaqueGroup);
      }
      continue;
    }
    through(&FunctionUses::libraryPrimitive, waits.opaquePrimitive);
    through(&FunctionUses::warpPrimitive, waits.warpPrimitive);
    through(&FunctionUses::groupPrimitive, waits.warpPrimitive);
    if (named == NamedLanes::WholeWarp)
      continue;
    through(&FunctionUses::maskedPrimitive, waits.maskedPrimitive);
    through(&FunctionUses::groupPrimitive, waits.maskedPrimitive);
    through(&FunctionUses::opaquePrimitive, waits.opaquePrimitive);
    through(&FunctionUses::opaqueGroup, waits.opaquePrimitive);
  }
}

/// Only statements that BodyUses can find something in; the CFG lists subexpressions one by one.
bool isInteresting(const clang::Stmt& statement) {
  return llvm::isa<clang::CallExpr, clang::CXXConstructExpr, clang::GCCAsmStmt>(statement);
}

/// One statement does not show where the lanes were taken down; the whole function does.
void addPrimitives(Waits& waits, const FunctionUses& uses, const FunctionUses& whole) {
  keepFirst(waits.warpPrimitive, uses.warpPrimitive);
  keepFirst(waits.maskedPrimitive, uses.maskedPrimitive);
  keepFirst(waits.opaquePrimitive, uses.opaquePrimitive);
  const auto addGroup = [&](const UseSite& site, bool replaceable) {
    if (whole.lanes && waits.formsLanes)
      return;
    keepFirst(whole.lanes ? waits.groupPrimitive : waits.warpPrimitive, site);
    if (!replaceable)
      keepFirst(whole.lanes ? waits.opaqueGroup : waits.opaquePrimitive, site);
    else if (!whole.lanes)
      keepFirst(waits.maskedPrimitive, site);
  };
  addGroup(uses.opaqueGroup, false);
  addGroup(uses.tellableGroup, true);
  for (const auto& [mask, site, replaceable] : uses.variableMasks) {
    if (whole.lanes && mask == whole.lanes.mask) {
      addGroup(site, replaceable);
      continue;
    }
    keepFirst(waits.warpPrimitive, site);
    keepFirst(replaceable ? waits.maskedPrimitive : waits.opaquePrimitive, site);
  }
}

const clang::FunctionDecl* definitionOf(const clang::FunctionDecl* function) {
  const clang::FunctionDecl* definition = nullptr;
  return function && function->hasBody(definition) ? definition : nullptr;
}

/// The definition of the function or constructor that the statement itself calls.
const clang::FunctionDecl* calledBy(const clang::Stmt& statement) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement);
  const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&statement);
  return definitionOf(call        ? call->getDirectCallee()
                      : construct ? construct->getConstructor()
                                  : nullptr);
}

bool waitsAnywhere(const CallSite& call, CallGraph& calls) {
  for (UseSite FunctionUses::* kind :
       {&FunctionUses::plainBarrier, &FunctionUses::countingBarrier, &FunctionUses::opaqueBarrier,
        &FunctionUses::warpPrimitive, &FunctionUses::groupPrimitive})
    if (calls.findFrom(call, kind))
      return true;
  return false;
}

void add(Times& sum, const Times& more) {
  sum = sum && more ? Times(*sum + *more) : std::nullopt;
}

/// What the statement itself waits for, not what its arguments do. Primitives of some lanes hold
/// these up, but are not counted: nobody else waits there with them.
void addOwnWaits(Waits& waits, clang::SourceLocation here, const FunctionUses& uses) {
  const auto own = [&](const UseSite& site) { return site && site.where == here; };
  const bool block = own(uses.plainBarrier) || own(uses.countingBarrier) || own(uses.opaqueBarrier);
  bool warp = own(uses.warpPrimitive) || own(uses.groupPrimitive);
  for (const auto& [mask, site, replaceable] : uses.variableMasks)
    warp |= own(site);
  waits.surelyBlock |= block;
  waits.surelyWarp |= warp;
  const bool whole =
      own(uses.warpPrimitive) && !own(uses.opaquePrimitive) && !own(uses.maskedPrimitive);
  add(waits.blockTimes, block);
  add(waits.warpTimes, block || whole);
}

/// A statement holds up every thread by what it is itself, or calls itself.
void addSureWaits(Waits& waits, const clang::Stmt& statement, const FunctionUses& uses,
                  CallGraph& calls, FunctionFlows* flows) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement);
  const auto* assembly = llvm::dyn_cast<clang::GCCAsmStmt>(&statement);
  if (call || assembly)
    addOwnWaits(waits, call ? call->getExprLoc() : assembly->getAsmLoc(), uses);
  if (!flows)
    return;
  for (const CallSite& site : uses.calls)
    if (site.indirect && waitsAnywhere(site, calls))
      waits.blockTimes = waits.warpTimes = std::nullopt;
  const clang::FunctionDecl* const callee = calledBy(statement);
  if (!callee || !waitsAnywhere({callee, statement.getBeginLoc()}, calls))
    return;
  add(waits.blockTimes, flows->times(*callee, WaitScope::Block));
  add(waits.warpTimes, flows->times(*callee, WaitScope::Warp));
  waits.surelyBlock |= call && flows->surelyWaits(*callee, WaitScope::Block);
  waits.surelyWarp |= call && flows->surelyWaits(*callee, WaitScope::Warp);
}

/// What the elements of a block from `first` on wait for.
Waits waitsOf(const clang::FunctionDecl& function, const FunctionUses& whole,
              const clang::CFGBlock& block, std::size_t first, CallGraph& calls,
              FunctionFlows* flows) {
  Waits waits;
  std::size_t index = 0;
  for (const clang::CFGElement& element : block) {
    const std::optional<clang::CFGStmt> statement = element.getAs<clang::CFGStmt>();
    if (index++ < first || !statement || !isInteresting(*statement->getStmt()))
      continue;
    FunctionUses uses = usesOf(function, *statement->getStmt());
    calls.resolve(uses);
    keepFirst(waits.plainBarrier, uses.plainBarrier);
    keepFirst(waits.countingBarrier, uses.countingBarrier);
    keepFirst(waits.opaqueBarrier, uses.opaqueBarrier);
    keepFirst(waits.opaqueBarrier, uses.hiddenBarrier);
    addPrimitives(waits, uses, whole);
    addSureWaits(waits, *statement->getStmt(), uses, calls, flows);
    waits.formsLanes |= statement->getStmt() == whole.lanes.call;
    if (flows)
      addCallees(waits, uses, function, whole.lanes, calls);
  }
  return waits;
}

bool holdsUp(const Waits& waits, WaitScope scope) {
  return waits.surelyBlock || (scope == WaitScope::Warp && waits.surelyWarp);
}

/// Can the statement make a question asked twice have two answers? The mask itself is no part of
/// it.
bool changesAnything(const clang::Stmt& statement, const clang::VarDecl& mask) {
  if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&statement))
    return operation->isAssignmentOp() && assignedVariable(*operation->getLHS()) != &mask;
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement)) {
    const clang::FunctionDecl* const callee = call->getDirectCallee(); // threadIdx.x is a call
    return !callee || !isBuiltinAccessor(*callee);
  }
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&statement);
  return unary && unary->isIncrementDecrementOp();
}

/// `expression` without the `!` in front of it.
const clang::Expr& withoutNot(const clang::Expr& expression) {
  const clang::Expr* plain = expression.IgnoreParenImpCasts();
  while (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(plain)) {
    if (unary->getOpcode() != clang::UO_LNot)
      break;
    plain = unary->getSubExpr()->IgnoreParenImpCasts();
  }
  return *plain;
}

/// a, or its negation, is b: i < n and i >= n, keep and !keep.
bool sameQuestion(const clang::Expr& one, const clang::Expr& other,
                  const clang::ASTContext& context) {
  const clang::Expr &a = withoutNot(one), &b = withoutNot(other);
  if (isSameExpression(a, b, context))
    return true;
  const auto* left = llvm::dyn_cast<clang::BinaryOperator>(&a);
  const auto* right = llvm::dyn_cast<clang::BinaryOperator>(&b);
  return left && right && left->isComparisonOp() && right->isComparisonOp() &&
         left->getLHS()->getType()->isIntegerType() &&
         left->getOpcode() == clang::BinaryOperator::negateComparisonOp(right->getOpcode()) &&
         isSameExpression(*left->getLHS(), *right->getLHS(), context) &&
         isSameExpression(*left->getRHS(), *right->getRHS(), context);
}

std::vector<const clang::CFGBlock*> successors(const clang::CFGBlock& block) {
  std::vector<const clang::CFGBlock*> found;
  for (const clang::CFGBlock::AdjacentBlock& next : block.succs())
    if (next.getReachableBlock())
      found.push_back(next.getReachableBlock());
  return found;
}

/// Is the condition true when it is asked for the first time? `for (int i = 0; i < 4; ++i)`.
bool runsAtLeastOnce(const clang::ForStmt& loop, const clang::ASTContext& context) {
  const auto* init = llvm::dyn_cast_or_null<clang::DeclStmt>(loop.getInit());
  const auto* counter = init && init->isSingleDecl()
                            ? llvm::dyn_cast<clang::VarDecl>(init->getSingleDecl())
                            : nullptr;
  const auto* condition = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop.getCond());
  if (!counter || !counter->getInit() || !counter->getType()->isIntegerType() || !condition ||
      !condition->isComparisonOp() || loop.getConditionVariable())
    return false;
  const auto* left = llvm::dyn_cast<clang::DeclRefExpr>(condition->getLHS()->IgnoreParenImpCasts());
  clang::Expr::EvalResult first, bound;
  if (!left || left->getDecl() != counter || counter->getInit()->isValueDependent() ||
      condition->getRHS()->isValueDependent() ||
      !counter->getInit()->EvaluateAsInt(first, context) ||
      !condition->getRHS()->EvaluateAsInt(bound, context))
    return false;
  const int order = llvm::APSInt::compareValues(first.Val.getInt(), bound.Val.getInt());
  switch (condition->getOpcode()) {
  case clang::BO_LT:
    return order < 0;
  case clang::BO_LE:
    return order <= 0;
  case clang::BO_GT:
    return order > 0;
  case clang::BO_GE:
    return order >= 0;
  case clang::BO_NE:
    return order != 0;
  default:
    return false;
  }
}

/// Where the way from `before` to `next` leads on: into the body, if that is the first question of
/// a loop that runs at least once. A block that goes round has the loop as its target.
const clang::CFGBlock* entered(const clang::CFGBlock& before, const clang::CFGBlock* next,
                               const clang::ASTContext& context) {
  const auto* loop = llvm::dyn_cast_or_null<clang::ForStmt>(next->getTerminatorStmt());
  if (!loop || next->succ_size() != 2 || !next->succ_begin()->getReachableBlock() ||
      before.getLoopTarget() == loop || !runsAtLeastOnce(*loop, context))
    return next;
  return next->succ_begin()->getReachableBlock();
}

UseSite someWait(const Waits& waits) {
  for (UseSite Waits::* const kind :
       {&Waits::plainBarrier, &Waits::calleeBarrier, &Waits::countingBarrier, &Waits::opaqueBarrier,
        &Waits::libraryBarrier, &Waits::warpPrimitive, &Waits::opaquePrimitive,
        &Waits::groupPrimitive})
    if (waits.*kind)
      return waits.*kind;
  return {};
}

clang::SourceLocation placeOf(const clang::CFGBlock& block, const UseSite& site) {
  const clang::Stmt* const terminator = block.getTerminatorStmt();
  return terminator ? terminator->getBeginLoc() : site.where;
}

} // namespace

std::unique_ptr<clang::CFG> controlFlow(const clang::FunctionDecl& function) {
  clang::CFG::BuildOptions options;
  options.AddImplicitDtors = false;
  options.AddInitializers = true;
  options.AddCXXDefaultInitExprInCtors = true;
  options.AddCXXDefaultInitExprInAggregates = true;
  // What changes a variable, wherever it stands in an expression.
  options.setAlwaysAdd(clang::Stmt::BinaryOperatorClass)
      .setAlwaysAdd(clang::Stmt::CompoundAssignOperatorClass)
      .setAlwaysAdd(clang::Stmt::UnaryOperatorClass);
  return clang::CFG::buildCFG(&function, function.getBody(), &function.getASTContext(), options);
}

WaitSearch::WaitSearch(const clang::FunctionDecl& function, clang::CFG& cfg, CallGraph& calls,
                       FunctionFlows* flows)
    : context_(function.getASTContext()), cfg_(cfg), waits_(cfg.getNumBlockIDs()) {
  const FunctionUses whole = usesOf(function, *function.getBody());
  lanes_ = whole.lanes;
  for (const clang::CFGBlock* block : cfg)
    waits_[block->getBlockID()] = waitsOf(function, whole, *block, 0, calls, flows);
  findPostDominators();
  for (const WaitScope scope : {WaitScope::Block, WaitScope::Warp}) {
    leaves_[static_cast<int>(scope)] = leavingBlocks(scope);
    times_[static_cast<int>(scope)] = timesToExit(scope);
  }
  if (flows)
    findCalls(function, whole, calls, *flows);
}

bool WaitSearch::any(const std::function<bool(const Waits&)>& kind) const {
  return std::any_of(waits_.begin(), waits_.end(), kind);
}

bool WaitSearch::passesThrough(WaitScope scope) const {
  return leaves_[static_cast<int>(scope)][cfg_.getEntry().getBlockID()];
}

void WaitSearch::findCalls(const clang::FunctionDecl& function, const FunctionUses& whole,
                           CallGraph& calls, FunctionFlows& flows) {
  for (const clang::CFGBlock* block : cfg_) {
    std::size_t index = 0;
    for (const clang::CFGElement& element : *block) {
      ++index;
      const std::optional<clang::CFGStmt> statement = element.getAs<clang::CFGStmt>();
      if (!statement || !isInteresting(*statement->getStmt()))
        continue;
      const std::size_t known = calls_.size();
      addCalls(function, *statement->getStmt(), calls);
      if (calls_.size() == known)
        continue;
      const Waits rest = waitsOf(function, whole, *block, index, calls, &flows);
      for (std::size_t call = known; call < calls_.size(); ++call) {
        calls_[call].leavesBlock = leavesBehind(*block, rest, WaitScope::Block);
        calls_[call].leavesWarp = leavesBehind(*block, rest, WaitScope::Warp);
      }
    }
  }
}

/// Those that the statement is itself, and those that a pointer in it may mean.
void WaitSearch::addCalls(const clang::FunctionDecl& function, const clang::Stmt& statement,
                          CallGraph& calls) {
  const clang::FunctionDecl* const own = calledBy(statement);
  FunctionUses uses = usesOf(function, statement);
  calls.resolve(uses);
  for (const CallSite& site : uses.calls) {
    const clang::FunctionDecl* const callee = definitionOf(site.callee);
    const bool isOwn = callee && callee == own && !site.indirect;
    if (callee && (isOwn || site.indirect) && !isLibraryFunction(*callee) &&
        waitsAnywhere(site, calls))
      calls_.push_back({callee, isOwn ? llvm::cast<clang::Expr>(&statement) : nullptr, site.where});
  }
}

bool WaitSearch::leavesBehind(const clang::CFGBlock& block, const Waits& rest,
                              WaitScope scope) const {
  return !block.hasNoReturnElement() && !holdsUp(rest, scope) &&
         leavesFrom(block, leaves_[static_cast<int>(scope)], scope);
}

EarlyReturnFacts::Finding WaitSearch::find(const Target& target, WaitScope scope,
                                           const Branches& uniform, bool pastLanes) const {
  const std::vector<bool>& leaves = leaves_[static_cast<int>(scope)];
  for (const clang::CFGBlock* block : cfg_) {
    if (block->succ_size() < 2)
      continue;
    const UseSite later =
        scope == WaitScope::Warp && isUneven(*block, scope)
            ? firstIn(behind(*block, [](const clang::CFGBlock&) { return false; }), target)
            : UseSite{};
    if (later && !uniform(*block))
      return {placeOf(*block, later), later};
    const std::vector<const clang::CFGBlock*> ways = successors(*block);
    for (const clang::CFGBlock* out : ways)
      for (const clang::CFGBlock* in : ways) {
        const UseSite site = in != out && leaves[out->getBlockID()]
                                 ? reached(*in, *block, target, pastLanes)
                                 : UseSite{};
        if (site && !uniform(*block))
          return {placeOf(*block, site), site};
      }
  }
  return {};
}

EarlyReturnFacts::Finding WaitSearch::findUneven(const Branches& uniform) const {
  for (const clang::CFGBlock* block : cfg_)
    if (block->succ_size() >= 2 && isUneven(*block, WaitScope::Block) && !uniform(*block)) {
      const UseSite site = firstIn(before(*block), someWait);
      return {placeOf(*block, site), site};
    }
  return {};
}

/// Of the block with the highest number, which Clang gives to the first.
UseSite WaitSearch::firstIn(const Blocks& region, const Target& target) const {
  UseSite first;
  unsigned number = 0;
  for (const clang::CFGBlock* block : region)
    if (const UseSite site = target(waits(*block)); site && block->getBlockID() >= number) {
      first = site;
      number = block->getBlockID();
    }
  return first;
}

Times WaitSearch::timesOf(const clang::CFGBlock& block, WaitScope scope) const {
  return scope == WaitScope::Block ? waits(block).blockTimes : waits(block).warpTimes;
}

/// The blocks that can be reached from a branch before all ways out of it have met again.
WaitSearch::Blocks WaitSearch::before(const clang::CFGBlock& branch) const {
  return behind(branch, [&](const clang::CFGBlock& next) {
    return &next != &branch && meets_[branch.getBlockID()][next.getBlockID()];
  });
}

WaitSearch::Blocks WaitSearch::behind(const clang::CFGBlock& start, const Branches& ends) {
  Blocks found;
  std::vector<const clang::CFGBlock*> pending = {&start};
  while (!pending.empty()) {
    const clang::CFGBlock* const current = pending.back();
    pending.pop_back();
    for (const clang::CFGBlock* next : successors(*current))
      if (!ends(*next) && found.insert(next).second)
        pending.push_back(next);
  }
  return found;
}

bool WaitSearch::isUneven(const clang::CFGBlock& branch, WaitScope scope) const {
  const std::optional<Times> times = timesThrough(branch, before(branch), scope);
  return times && !*times;
}

/// How often threads wait between the end of a block and the end of the region behind it. Each
/// block of the region gets the number from its start on; one that is not the same on all ways is
/// none. Numbers only come and go, so it ends. Ways that do not return have none to compare.
std::optional<Times> WaitSearch::timesThrough(const clang::CFGBlock& start, const Blocks& region,
                                              WaitScope scope) const {
  if (std::all_of(region.begin(), region.end(),
                  [&](const clang::CFGBlock* block) { return timesOf(*block, scope) == Times(0); }))
    return Times(0);
  std::map<const clang::CFGBlock*, Times> known;
  const auto behindBlock = [&](const clang::CFGBlock& block) {
    std::optional<Times> all;
    for (const clang::CFGBlock* next : successors(block)) {
      if (region.count(next) && !known.count(next))
        continue;
      const Times one = region.count(next) ? known[next] : Times(0);
      all = !all || *all == one ? one : Times();
    }
    return all;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const clang::CFGBlock* block : region) {
      std::optional<Times> times = block->hasNoReturnElement() ? std::nullopt : behindBlock(*block);
      if (!times)
        continue;
      add(*times, timesOf(*block, scope));
      const auto [place, isNew] = known.try_emplace(block, *times);
      changed |= isNew || (place->second && place->second != *times);
      if (place->second != *times)
        place->second = std::nullopt;
    }
  }
  return behindBlock(start);
}

Times WaitSearch::timesToExit(WaitScope scope) const {
  const auto isExit = [&](const clang::CFGBlock& block) { return &block == &cfg_.getExit(); };
  return timesThrough(cfg_.getEntry(), behind(cfg_.getEntry(), isExit), scope).value_or(Times());
}

bool WaitSearch::repeatsBallot(const clang::CFGBlock& block) const {
  const clang::CallExpr* const ballot = lanes_.mask ? lanes_.call : nullptr;
  const auto* condition = llvm::dyn_cast_or_null<clang::Expr>(block.getLastCondition());
  if (!condition || !ballot || !waits(block).formsLanes || ballot->getNumArgs() < 2)
    return false;
  bool formed = false;
  for (const clang::CFGElement& element : block) {
    const std::optional<clang::CFGStmt> statement = element.getAs<clang::CFGStmt>();
    const clang::Stmt* const one = statement ? statement->getStmt() : nullptr;
    if (formed && one && changesAnything(*one, *lanes_.mask))
      return false;
    formed |= one == ballot;
  }
  return sameQuestion(*condition, *ballot->getArg(1), context_);
}

bool WaitSearch::leavesFrom(const clang::CFGBlock& block, const std::vector<bool>& leaves,
                            WaitScope scope) const {
  for (const clang::CFGBlock* next : successors(block)) {
    const clang::CFGBlock* const on = entered(block, next, context_);
    if (leaves[on->getBlockID()] && (on == next || !holdsUp(waits(*next), scope)))
      return true;
  }
  return false;
}

std::vector<bool> WaitSearch::leavingBlocks(WaitScope scope) const {
  std::vector<bool> leaves(cfg_.getNumBlockIDs(), false);
  leaves[cfg_.getExit().getBlockID()] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const clang::CFGBlock* block : cfg_)
      if (!leaves[block->getBlockID()] && !block->hasNoReturnElement() &&
          !holdsUp(waits(*block), scope) && leavesFrom(*block, leaves, scope))
        changed = leaves[block->getBlockID()] = true;
  }
  return leaves;
}

/// meets_[d][b]: every way from d to the exit passes b. Ways that do not return do not count.
void WaitSearch::findPostDominators() {
  const std::size_t count = cfg_.getNumBlockIDs();
  meets_.assign(count, std::vector<bool>(count, true));
  const unsigned exit = cfg_.getExit().getBlockID();
  meets_[exit].assign(count, false);
  meets_[exit][exit] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const clang::CFGBlock* block : cfg_) {
      const unsigned id = block->getBlockID();
      if (id == exit || block->hasNoReturnElement())
        continue;
      std::vector<bool> common(count, true);
      for (const clang::CFGBlock* next : successors(*block))
        for (std::size_t other = 0; other < count; ++other)
          common[other] = common[other] && meets_[next->getBlockID()][other];
      common[id] = true;
      changed |= common != meets_[id];
      meets_[id] = std::move(common);
    }
  }
}

UseSite WaitSearch::reached(const clang::CFGBlock& from, const clang::CFGBlock& branch,
                            const Target& target, bool pastLanes) const {
  std::set<const clang::CFGBlock*> seen = {&from};
  std::vector<const clang::CFGBlock*> pending = {&from};
  while (!pending.empty()) {
    const clang::CFGBlock* const current = pending.back();
    pending.pop_back();
    if (current != &branch && meets_[branch.getBlockID()][current->getBlockID()])
      continue;
    if (const UseSite site = target(waits(*current)))
      return site;
    if (pastLanes && waits(*current).formsLanes)
      continue;
    for (const clang::CFGBlock* next : successors(*current))
      if (seen.insert(next).second)
        pending.push_back(next);
  }
  return {};
}

const FunctionFlow* FunctionFlows::of(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* const definition = definitionOf(&function);
  if (!definition)
    return nullptr;
  const auto [known, isNew] = known_.try_emplace(definition);
  FunctionFlow& flow = known->second;
  if (isNew) {
    flow.cfg = controlFlow(*definition);
    if (flow.cfg)
      flow.search = std::make_unique<WaitSearch>(*definition, *flow.cfg, calls_, this);
  }
  return flow.search ? &flow : nullptr;
}

bool FunctionFlows::maySplit(const clang::FunctionDecl& function, WaitScope scope) {
  std::map<const clang::FunctionDecl*, bool>& known = splits_[static_cast<int>(scope)];
  const auto [place, isNew] = known.try_emplace(&function, true);
  const FunctionFlow* const flow = of(function);
  if (!isNew || !flow)
    return place->second && flow;
  const auto none = [](const clang::CFGBlock&) { return false; };
  bool splits = flow->search->find(someWait, scope, none) ||
                (scope == WaitScope::Block && flow->search->findUneven(none));
  for (const WaitingCall& call : flow->search->calls())
    splits = splits || maySplit(*call.callee, scope);
  return place->second = splits;
}

Times FunctionFlows::times(const clang::FunctionDecl& function, WaitScope scope) {
  const FunctionFlow* const flow = of(function);
  return flow ? flow->search->times(scope) : std::nullopt;
}

bool FunctionFlows::surelyWaits(const clang::FunctionDecl& function, WaitScope scope) {
  const FunctionFlow* const flow = of(function);
  return flow && !flow->search->passesThrough(scope);
}

} // namespace gpusched::passes
