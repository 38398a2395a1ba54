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

#include "passes/analysis/Uniformity.h"

#include "clang/AST/ASTContext.h"
#include "clang/Analysis/CFG.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace gpusched::passes {
namespace {

/// What the statements of one CFG block wait for.
struct Waits {
  UseSite plainBarrier, opaqueBarrier, warpPrimitive;
  bool block() const { return static_cast<bool>(plainBarrier) || static_cast<bool>(opaqueBarrier); }
};

void keepFirst(UseSite& site, const UseSite& found) {
  if (!site)
    site = found;
}

/// A call out of the kernel: its callees' waits count at the place of the call.
void addCallees(Waits& waits, const FunctionUses& uses, CallGraph& calls) {
  for (const CallSite& call : uses.calls) {
    const auto through = [&](UseSite FunctionUses::* kind, UseSite& slot) {
      if (const std::optional<CalleeUse> use = calls.findFrom(call, kind))
        keepFirst(slot,
                  {call.where, use->site.what + " in '" + use->function->getNameAsString() + "'"});
    };
    through(&FunctionUses::plainBarrier, waits.opaqueBarrier);
    through(&FunctionUses::opaqueBarrier, waits.opaqueBarrier);
    through(&FunctionUses::warpPrimitive, waits.warpPrimitive);
  }
}

/// Only statements that BodyUses can find something in; the CFG lists subexpressions one by one.
bool isInteresting(const clang::Stmt& statement) {
  return llvm::isa<clang::CallExpr, clang::CXXConstructExpr, clang::GCCAsmStmt>(statement);
}

Waits waitsOf(const clang::FunctionDecl& kernel, const clang::CFGBlock& block, CallGraph& calls) {
  Waits waits;
  for (const clang::CFGElement& element : block) {
    const std::optional<clang::CFGStmt> statement = element.getAs<clang::CFGStmt>();
    if (!statement || !isInteresting(*statement->getStmt()))
      continue;
    const FunctionUses uses = usesOf(kernel, *statement->getStmt());
    keepFirst(waits.plainBarrier, uses.plainBarrier);
    keepFirst(waits.opaqueBarrier, uses.opaqueBarrier);
    keepFirst(waits.opaqueBarrier, uses.hiddenBarrier);
    keepFirst(waits.warpPrimitive, uses.warpPrimitive);
    addCallees(waits, uses, calls);
  }
  return waits;
}

class Search {
public:
  Search(const clang::FunctionDecl& kernel, clang::CFG& cfg, CallGraph& calls)
      : cfg_(cfg), waits_(cfg.getNumBlockIDs()) {
    for (const clang::CFGBlock* block : cfg)
      waits_[block->getBlockID()] = waitsOf(kernel, *block, calls);
    findPostDominators();
  }

  const Waits& waits(const clang::CFGBlock& block) const { return waits_[block.getBlockID()]; }

  bool any(const std::function<bool(const Waits&)>& kind) const {
    return std::any_of(waits_.begin(), waits_.end(), kind);
  }

  /// First branch that is not uniform and leads both out and to a wait that `target` accepts.
  EarlyReturnFacts::Finding find(const std::function<UseSite(const Waits&)>& target,
                                 const std::function<bool(const Waits&)>& stops,
                                 const std::function<bool(const clang::CFGBlock&)>& uniform) const {
    const std::vector<bool> leaves = leavingBlocks(stops);
    for (const clang::CFGBlock* block : cfg_) {
      if (block->succ_size() < 2 || uniform(*block))
        continue;
      for (const clang::CFGBlock* out : successors(*block))
        for (const clang::CFGBlock* in : successors(*block)) {
          const UseSite site =
              in != out && leaves[out->getBlockID()] ? reached(*in, *block, target) : UseSite{};
          if (site)
            return {placeOf(*block, site), site};
        }
    }
    return {};
  }

private:
  static std::vector<const clang::CFGBlock*> successors(const clang::CFGBlock& block) {
    std::vector<const clang::CFGBlock*> found;
    for (const clang::CFGBlock::AdjacentBlock& next : block.succs())
      if (next.getReachableBlock())
        found.push_back(next.getReachableBlock());
    return found;
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
                  const std::function<UseSite(const Waits&)>& target) const {
    std::set<const clang::CFGBlock*> seen = {&from};
    std::vector<const clang::CFGBlock*> pending = {&from};
    while (!pending.empty()) {
      const clang::CFGBlock* const current = pending.back();
      pending.pop_back();
      if (current != &branch && meets_[branch.getBlockID()][current->getBlockID()])
        continue;
      if (const UseSite site = target(waits(*current)))
        return site;
      for (const clang::CFGBlock* next : successors(*current))
        if (seen.insert(next).second)
          pending.push_back(next);
    }
    return {};
  }

  clang::CFG& cfg_;
  std::vector<Waits> waits_;
  std::vector<std::vector<bool>> meets_;
};

} // namespace

EarlyReturnFacts findEarlyReturns(const clang::FunctionDecl& kernel, CallGraph& calls) {
  EarlyReturnFacts facts;
  clang::CFG::BuildOptions options;
  options.AddImplicitDtors = false;
  const std::unique_ptr<clang::CFG> cfg =
      clang::CFG::buildCFG(&kernel, kernel.getBody(), &kernel.getASTContext(), options);
  if (!cfg) {
    facts.opaqueBarrier = {kernel.getLocation(), {kernel.getLocation(), "unknown control flow"}};
    return facts;
  }
  const Search search(kernel, *cfg, calls);
  const auto blockWaits = [](const Waits& waits) { return waits.block(); };
  const auto warpWaits = [](const Waits& waits) { return static_cast<bool>(waits.warpPrimitive); };
  if (search.any(blockWaits)) {
    const Uniformity uniformity(kernel, *cfg, false);
    const auto uniform = [&](const clang::CFGBlock& block) {
      return uniformity.branchIsBlockUniform(block);
    };
    facts.plainBarrier =
        search.find([](const Waits& waits) { return waits.plainBarrier; }, blockWaits, uniform);
    facts.opaqueBarrier =
        search.find([](const Waits& waits) { return waits.opaqueBarrier; }, blockWaits, uniform);
  }
  if (search.any(warpWaits)) {
    const auto target = [](const Waits& waits) { return waits.warpPrimitive; };
    const auto stops = [](const Waits& waits) { return waits.block() || waits.warpPrimitive; };
    for (const bool wholeRows : {false, true}) {
      const Uniformity uniformity(kernel, *cfg, wholeRows);
      facts.warpPrimitive = search.find(target, stops, [&](const clang::CFGBlock& block) {
        return uniformity.branchIsWarpUniform(block);
      });
      facts.needsWholeWarpRows = wholeRows;
      if (!facts.warpPrimitive)
        break;
    }
  }
  return facts;
}

} // namespace gpusched::passes
