// EarlyReturn.cpp - the pattern of EarlyReturn.h on Clang's CFG.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Model: each CFG block waits at most once for our purpose (kind of wait = the strongest in it).
//   leaves(b)    = the exit can be reached from the start of b without a wait
//   reaches(b,d) = a block with a wait can be reached from the start of b before all ways out of d
//                  have met again (a block that post-dominates d); beyond that, branches that are
//                  uniform keep the threads together
//   finding      = a block d whose branch is not uniform, with successors s != t, leaves(s) and
//                  reaches(t,d)
// Blocks that end in a call that does not return (assert, __trap) leave nowhere: the whole grid
// dies there. For warp primitives a block barrier counts as a wait when a lane leaves: lanes that
// take another way to the same barrier are waited for there in the original as well.
// Cost: post-dominators as bit sets, then two linear searches per branch that is not uniform.
#include "passes/analysis/EarlyReturn.h"

#include "passes/analysis/ThreadTaint.h"
#include "passes/analysis/Uniformity.h"
#include "passes/analysis/VariableEscape.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Analysis/CFG.h"
#include "clang/Basic/SourceManager.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace gpusched::passes {
namespace {

/// What the statements of one CFG block wait for.
struct Waits {
  UseSite plainBarrier, calleeBarrier, opaqueBarrier, warpPrimitive, opaquePrimitive;
  UseSite groupPrimitive; ///< before the block takes down the lanes anew, if it does
  bool formsLanes = false;
  bool block() const {
    return static_cast<bool>(plainBarrier) || static_cast<bool>(calleeBarrier) ||
           static_cast<bool>(opaqueBarrier);
  }
};

void keepFirst(UseSite& site, const UseSite& found) {
  if (!site)
    site = found;
}

/// Can lanes leave the callee between the forming of a coalesced group and its use? Those that were
/// gone before the call are in no group that the callee forms.
bool losesGroupLanes(const clang::FunctionDecl& callee, CallGraph& calls);

/// A call out of the kernel: its callees' waits count at the place of the call.
void addCallees(Waits& waits, const FunctionUses& uses, CallGraph& calls) {
  for (const CallSite& call : uses.calls) {
    const auto through = [&](UseSite FunctionUses::* kind, UseSite& slot) {
      const std::optional<CalleeUse> use = calls.findFrom(call, kind);
      if (use && (kind != &FunctionUses::groupPrimitive || losesGroupLanes(*use->function, calls)))
        keepFirst(slot,
                  {call.where, use->site.what + " in '" + use->function->getNameAsString() + "'"});
    };
    through(&FunctionUses::plainBarrier, waits.calleeBarrier);
    through(&FunctionUses::opaqueBarrier, waits.opaqueBarrier);
    through(&FunctionUses::hiddenBarrier, waits.opaqueBarrier);
    through(&FunctionUses::warpPrimitive, waits.warpPrimitive);
    through(&FunctionUses::groupPrimitive, waits.warpPrimitive);
    through(&FunctionUses::opaquePrimitive, waits.opaquePrimitive);
    through(&FunctionUses::groupPrimitive, waits.opaquePrimitive);
  }
}

/// Only statements that BodyUses can find something in; the CFG lists subexpressions one by one.
bool isInteresting(const clang::Stmt& statement) {
  return llvm::isa<clang::CallExpr, clang::CXXConstructExpr, clang::GCCAsmStmt>(statement);
}

/// One statement does not show where the lanes were taken down; the whole function does.
void addPrimitives(Waits& waits, const FunctionUses& uses, const FunctionUses& whole) {
  const auto addOpaque = [&](const UseSite& site) {
    keepFirst(waits.warpPrimitive, site);
    keepFirst(waits.opaquePrimitive, site);
  };
  keepFirst(waits.warpPrimitive, uses.warpPrimitive);
  keepFirst(waits.opaquePrimitive, uses.opaquePrimitive);
  if (!waits.formsLanes && whole.lanes)
    keepFirst(waits.groupPrimitive, uses.groupPrimitive);
  else if (!waits.formsLanes)
    addOpaque(uses.groupPrimitive);
  for (const auto& [mask, site] : uses.maskedPrimitives)
    if (!whole.lanes || mask != whole.lanes.mask)
      addOpaque(site);
    else if (!waits.formsLanes)
      keepFirst(waits.groupPrimitive, site);
}

enum class Callees { Follow, Ignore };

Waits waitsOf(const clang::FunctionDecl& kernel, const FunctionUses& whole,
              const clang::CFGBlock& block, CallGraph& calls, Callees follow) {
  Waits waits;
  for (const clang::CFGElement& element : block) {
    const std::optional<clang::CFGStmt> statement = element.getAs<clang::CFGStmt>();
    if (!statement || !isInteresting(*statement->getStmt()))
      continue;
    FunctionUses uses = usesOf(kernel, *statement->getStmt());
    calls.resolve(uses);
    keepFirst(waits.plainBarrier, uses.plainBarrier);
    keepFirst(waits.opaqueBarrier, uses.opaqueBarrier);
    keepFirst(waits.opaqueBarrier, uses.hiddenBarrier);
    addPrimitives(waits, uses, whole);
    waits.formsLanes |= statement->getStmt() == whole.lanes.call;
    if (follow == Callees::Follow)
      addCallees(waits, uses, calls);
  }
  return waits;
}

/// Can the statement make a question asked twice have two answers? The mask itself is no part of
/// it.
bool changesAnything(const clang::Stmt& statement, const clang::VarDecl& mask) {
  if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&statement))
    return operation->isAssignmentOp() && assignedVariable(*operation->getLHS()) != &mask;
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement)) {
    const clang::FunctionDecl* const callee = call->getDirectCallee(); // threadIdx.x is a call
    return !callee || !llvm::StringRef(callee->getNameAsString()).starts_with("__fetch_builtin");
  }
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&statement);
  return unary && unary->isIncrementDecrementOp();
}

bool sameExpression(const clang::Expr& a, const clang::Expr& b, const clang::ASTContext& context) {
  llvm::FoldingSetNodeID first, second;
  a.IgnoreParenImpCasts()->Profile(first, context, true);
  b.IgnoreParenImpCasts()->Profile(second, context, true);
  return first == second;
}

/// a, or its negation, is b: i < n and i >= n.
bool sameQuestion(const clang::Expr& a, const clang::Expr& b, const clang::ASTContext& context) {
  if (sameExpression(a, b, context))
    return true;
  const auto* left = llvm::dyn_cast<clang::BinaryOperator>(a.IgnoreParenImpCasts());
  const auto* right = llvm::dyn_cast<clang::BinaryOperator>(b.IgnoreParenImpCasts());
  return left && right && left->isComparisonOp() && right->isComparisonOp() &&
         left->getLHS()->getType()->isIntegerType() &&
         left->getOpcode() == clang::BinaryOperator::negateComparisonOp(right->getOpcode()) &&
         sameExpression(*left->getLHS(), *right->getLHS(), context) &&
         sameExpression(*left->getRHS(), *right->getRHS(), context);
}

class Search {
public:
  Search(const clang::FunctionDecl& kernel, clang::CFG& cfg, CallGraph& calls, Callees follow)
      : context_(kernel.getASTContext()), cfg_(cfg), waits_(cfg.getNumBlockIDs()) {
    const FunctionUses whole = usesOf(kernel, *kernel.getBody());
    lanes_ = whole.lanes;
    for (const clang::CFGBlock* block : cfg)
      waits_[block->getBlockID()] = waitsOf(kernel, whole, *block, calls, follow);
    findPostDominators();
  }

  const Waits& waits(const clang::CFGBlock& block) const { return waits_[block.getBlockID()]; }

  bool any(const std::function<bool(const Waits&)>& kind) const {
    return std::any_of(waits_.begin(), waits_.end(), kind);
  }

  /// First branch that is not uniform and leads both out and to a wait that `target` accepts;
  /// `pastLanes`: without taking down the lanes anew on the way.
  EarlyReturnFacts::Finding find(const std::function<UseSite(const Waits&)>& target,
                                 const std::function<bool(const Waits&)>& stops,
                                 const std::function<bool(const clang::CFGBlock&)>& uniform,
                                 bool pastLanes = false) const {
    const std::vector<bool> leaves = leavingBlocks(stops);
    for (const clang::CFGBlock* block : cfg_) {
      if (block->succ_size() < 2 || uniform(*block))
        continue;
      for (const clang::CFGBlock* out : successors(*block))
        for (const clang::CFGBlock* in : successors(*block)) {
          const UseSite site = in != out && leaves[out->getBlockID()]
                                   ? reached(*in, *block, target, pastLanes)
                                   : UseSite{};
          if (site)
            return {placeOf(*block, site), site};
        }
    }
    return {};
  }

  /// A primitive in a loop that lanes leave in different rounds. nvcc may unroll such a loop, and
  /// then lanes are at several copies of the primitive, which are as many primitives.
  EarlyReturnFacts::Finding
  findInRounds(const std::function<bool(const clang::CFGBlock&)>& uniform) const {
    for (const clang::CFGBlock* branch : cfg_) {
      if (branch->succ_size() < 2 || uniform(*branch))
        continue;
      const std::set<const clang::CFGBlock*> after = reachableFrom(*branch);
      if (!after.count(branch))
        continue;
      bool endsLoop = false;
      for (const clang::CFGBlock* next : successors(*branch))
        endsLoop |= next != branch && !reachableFrom(*next).count(branch);
      for (const clang::CFGBlock* block : after)
        if (endsLoop && waits(*block).warpPrimitive && reachableFrom(*block).count(branch))
          return {placeOf(*branch, waits(*block).warpPrimitive),
                  {waits(*block).warpPrimitive.where,
                   waits(*block).warpPrimitive.what + ", in a loop that lanes leave one by one"}};
    }
    return {};
  }

  static bool isInLoop(const clang::CFGBlock& block) {
    return reachableFrom(block).count(&block) != 0;
  }

  /// Does the branch ask what the ballot at the end of the same block asked? Then those whom it
  /// sends away are not among the lanes that the ballot named.
  bool repeatsBallot(const clang::CFGBlock& block) const {
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

private:
  static std::vector<const clang::CFGBlock*> successors(const clang::CFGBlock& block) {
    std::vector<const clang::CFGBlock*> found;
    for (const clang::CFGBlock::AdjacentBlock& next : block.succs())
      if (next.getReachableBlock())
        found.push_back(next.getReachableBlock());
    return found;
  }

  static std::set<const clang::CFGBlock*> reachableFrom(const clang::CFGBlock& from) {
    std::set<const clang::CFGBlock*> seen;
    std::vector<const clang::CFGBlock*> pending = {&from};
    while (!pending.empty()) {
      const clang::CFGBlock* const current = pending.back();
      pending.pop_back();
      for (const clang::CFGBlock* next : successors(*current))
        if (seen.insert(next).second)
          pending.push_back(next);
    }
    return seen;
  }

  static clang::SourceLocation placeOf(const clang::CFGBlock& block, const UseSite& site) {
    const clang::Stmt* const terminator = block.getTerminatorStmt();
    return terminator ? terminator->getBeginLoc() : site.where;
  }

  std::vector<bool> leavingBlocks(const std::function<bool(const Waits&)>& stops) const {
    std::vector<bool> leaves(cfg_.getNumBlockIDs(), false);
    std::vector<const clang::CFGBlock*> pending = {&cfg_.getExit()};
    leaves[cfg_.getExit().getBlockID()] = true;
    while (!pending.empty()) {
      const clang::CFGBlock* const current = pending.back();
      pending.pop_back();
      for (const clang::CFGBlock::AdjacentBlock& edge : current->preds()) {
        const clang::CFGBlock* const before = edge.getReachableBlock();
        if (!before || leaves[before->getBlockID()] || before->hasNoReturnElement() ||
            stops(waits(*before)))
          continue;
        leaves[before->getBlockID()] = true;
        pending.push_back(before);
      }
    }
    return leaves;
  }

  /// meets_[d][b]: every way from d to the exit passes b. Ways that do not return do not count.
  void findPostDominators() {
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

  UseSite reached(const clang::CFGBlock& from, const clang::CFGBlock& branch,
                  const std::function<UseSite(const Waits&)>& target, bool pastLanes) const {
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

  const clang::ASTContext& context_;
  clang::CFG& cfg_;
  FormedLanes lanes_;
  std::vector<Waits> waits_;
  std::vector<std::vector<bool>> meets_;
};

} // namespace

namespace {

using Branches = std::function<bool(const clang::CFGBlock&)>;

void findBlockWaits(const Search& search, const Branches& uniform,
                    const Branches& uniformIfRaceFree, EarlyReturnFacts& facts) {
  const auto stops = [](const Waits& waits) { return waits.block(); };
  facts.plainBarrier =
      search.find([](const Waits& waits) { return waits.plainBarrier; }, stops, uniform);
  facts.calleeBarrier =
      search.find([](const Waits& waits) { return waits.calleeBarrier; }, stops, uniform);
  facts.opaqueBarrier =
      search.find([](const Waits& waits) { return waits.opaqueBarrier; }, stops, uniformIfRaceFree);
}

/// A primitive that names lanes, or one of a group, where lanes leave after the group was formed.
/// `kind`: which of those that name lanes are asked for.
EarlyReturnFacts::Finding findWarpWaits(const Search& search, const Branches& uniform,
                                        UseSite Waits::* kind = &Waits::warpPrimitive) {
  const auto stops = [](const Waits& waits) {
    return waits.block() || waits.warpPrimitive || waits.groupPrimitive;
  };
  if (const EarlyReturnFacts::Finding named =
          search.find([kind](const Waits& waits) { return waits.*kind; }, stops, uniform))
    return named;
  return search.find(
      [](const Waits& waits) { return waits.groupPrimitive; }, stops,
      [&](const clang::CFGBlock& block) { return uniform(block) || search.repeatsBallot(block); },
      true);
}

std::unique_ptr<clang::CFG> controlFlow(const clang::FunctionDecl& function) {
  clang::CFG::BuildOptions options;
  options.AddImplicitDtors = false;
  return clang::CFG::buildCFG(&function, function.getBody(), &function.getASTContext(), options);
}

/// Leaving a callee before its barrier is leaving the kernel before it, where nothing else follows.
/// Where the drain barrier can be had, every branch counts that cannot be shown to be uniform,
/// given that only those parameters are not whose arguments visibly depend on threadIdx; in loops,
/// whose end few can show, only conditions that visibly depend on it. Else, since little of a
/// callee can be shown, an `if` outside loops whose condition does.
class CalleeReturns : public clang::RecursiveASTVisitor<CalleeReturns> {
public:
  CalleeReturns(CallGraph& calls, EarlyReturnFacts& facts) : calls_(calls), facts_(facts) {}

  void search(const clang::FunctionDecl& function, const ThreadTaint& taint) {
    const ThreadTaint* const outer = std::exchange(taint_, &taint);
    TraverseStmt(function.getBody());
    taint_ = outer;
  }

  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* const callee = call->getDirectCallee();
    const clang::FunctionDecl* definition = nullptr;
    if (!callee || !callee->hasBody(definition) || isLibrary(*definition) || !waits(*callee, *call))
      return true;
    const bool isOperator =
        llvm::isa<clang::CXXOperatorCallExpr>(call) && llvm::isa<clang::CXXMethodDecl>(definition);
    std::set<const clang::ValueDecl*> tainted;
    for (unsigned index = 0; index < definition->getNumParams(); ++index)
      if (index + isOperator < call->getNumArgs() && taint_->of(*call->getArg(index + isOperator)))
        tainted.insert(definition->getParamDecl(index));
    if (seen_.insert({definition, tainted}).second)
      searchCallee(*definition, tainted, call->getExprLoc());
    return true;
  }

private:
  static bool isLibrary(const clang::FunctionDecl& function) {
    const clang::SourceManager& sources = function.getASTContext().getSourceManager();
    return sources.isInSystemHeader(sources.getExpansionLoc(function.getLocation()));
  }

  bool waits(const clang::FunctionDecl& callee, const clang::CallExpr& call) {
    const CallSite site{&callee, call.getExprLoc()};
    return calls_.findFrom(site, &FunctionUses::plainBarrier) ||
           calls_.findFrom(site, &FunctionUses::opaqueBarrier);
  }

  void searchCallee(const clang::FunctionDecl& callee,
                    const std::set<const clang::ValueDecl*>& tainted, clang::SourceLocation call) {
    const std::unique_ptr<clang::CFG> cfg = controlFlow(callee);
    if (!cfg)
      return;
    EarlyReturnFacts found;
    const ThreadTaint taint(callee, tainted);
    const Search search(callee, *cfg, calls_, Callees::Follow);
    const Uniformity uniformity(callee, *cfg, calls_, {.mixedParameters = tainted});
    const Branches hidden = [&](const clang::CFGBlock& block) {
      const clang::Stmt* const condition = block.getTerminatorCondition();
      return !condition || !taint.of(*condition);
    };
    findBlockWaits(
        search,
        [&](const clang::CFGBlock& block) {
          return uniformity.branchIsBlockUniform(block) ||
                 (search.isInLoop(block) && hidden(block));
        },
        [&](const clang::CFGBlock& block) { return search.isInLoop(block) || hidden(block); },
        found);
    const auto keep = [&](EarlyReturnFacts::Finding& kept, const EarlyReturnFacts::Finding& here) {
      if (!kept && here)
        kept = {here.branch, {call, here.site.what + " in '" + callee.getNameAsString() + "'"}};
    };
    keep(facts_.calleeBarrier, found.plainBarrier);
    keep(facts_.calleeBarrier, found.calleeBarrier);
    keep(facts_.opaqueBarrier, found.opaqueBarrier);
    this->search(callee, taint);
  }

  CallGraph& calls_;
  EarlyReturnFacts& facts_;
  const ThreadTaint* taint_ = nullptr; ///< of the function that is being walked
  std::set<std::pair<const clang::FunctionDecl*, std::set<const clang::ValueDecl*>>> seen_;
};

bool losesGroupLanes(const clang::FunctionDecl& callee, CallGraph& calls) {
  const clang::FunctionDecl* definition = nullptr;
  const bool visible = callee.hasBody(definition);
  const std::unique_ptr<clang::CFG> cfg = visible ? controlFlow(*definition) : nullptr;
  if (!cfg)
    return true;
  const Uniformity uniformity(*definition, *cfg, calls, {false, true, false});
  return static_cast<bool>(findWarpWaits(
      Search(*definition, *cfg, calls, Callees::Ignore),
      [&](const clang::CFGBlock& block) { return uniformity.branchIsWarpUniform(block); }));
}

} // namespace

EarlyReturnFacts findEarlyReturns(const clang::FunctionDecl& kernel, CallGraph& calls) {
  EarlyReturnFacts facts;
  const std::unique_ptr<clang::CFG> cfg = controlFlow(kernel);
  if (!cfg) {
    facts.opaqueBarrier = {kernel.getLocation(), {kernel.getLocation(), "unknown control flow"}};
    return facts;
  }
  const Search search(kernel, *cfg, calls, Callees::Follow);
  if (search.any([](const Waits& waits) { return waits.block(); })) {
    const Uniformity strict(kernel, *cfg, calls, {}), raceFree(kernel, *cfg, calls, {false, true});
    findBlockWaits(
        search, [&](const clang::CFGBlock& block) { return strict.branchIsBlockUniform(block); },
        [&](const clang::CFGBlock& block) { return raceFree.branchIsBlockUniform(block); }, facts);
    CalleeReturns(calls, facts).search(kernel, ThreadTaint(kernel, {}));
  }
  if (!search.any([](const Waits& waits) { return waits.warpPrimitive || waits.groupPrimitive; }))
    return facts;
  const auto findWith = [&](UseSite Waits::* kind, EarlyReturnFacts::Finding& finding) {
    for (const bool wholeRows : {false, true}) {
      const Uniformity uniformity(kernel, *cfg, calls, {wholeRows, true});
      const Branches uniform = [&](const clang::CFGBlock& block) {
        return uniformity.branchIsWarpUniform(block);
      };
      finding = findWarpWaits(search, uniform, kind);
      if (!finding && kind == &Waits::opaquePrimitive)
        finding = search.findInRounds(uniform);
      facts.needsWholeWarpRows = wholeRows;
      if (!finding)
        return;
    }
  };
  findWith(&Waits::warpPrimitive, facts.warpPrimitive);
  if (facts.warpPrimitive)
    findWith(&Waits::opaquePrimitive, facts.opaquePrimitive);
  return facts;
}

} // namespace gpusched::passes
