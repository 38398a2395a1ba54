// WaitSearch.h - where one function waits, and which branches lead both out of it and to a wait.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Model: each block of Clang's CFG waits at most once for our purpose (kind = the strongest in it).
//   leaves(b)    = the exit can be reached from the start of b without a wait that is sure
//   reaches(b,d) = a block with a wait can be reached from the start of b before all ways out of d
//                  have met again (a block that post-dominates d); beyond that, branches that are
//                  uniform keep the threads together
//   finding      = a block d whose branch is not uniform, with successors s != t, leaves(s) and
//                  reaches(t,d)
//   uneven       = such a block d, one of whose ways to where all meet again waits more often than
//                  another: the barriers of the threads that differ no longer belong together, and
//                  whoever has fewer ahead leaves before the others' last
// A call of a function that waits somewhere is a wait; it is a sure one if no way through that
// function avoids waiting. Blocks that end in a call that does not return (assert, __trap) leave
// nowhere: the whole grid dies there. For warp primitives a block barrier counts as a wait when a
// lane leaves: lanes that take another way to the same barrier are waited for there in the original
// as well.
// Cost: post-dominators as bit sets, then a few linear searches per branch that is not uniform.
#pragma once

#include "passes/analysis/CallGraph.h"
#include "passes/analysis/EarlyReturn.h"

#include "clang/Analysis/CFG.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace gpusched::passes {

/// How often a thread waits on a way; none: not the same on all ways, or not known.
using Times = std::optional<unsigned>;

/// What the statements of one CFG block wait for.
struct Waits {
  UseSite plainBarrier, calleeBarrier, countingBarrier, opaqueBarrier, warpPrimitive,
      maskedPrimitive, opaquePrimitive;
  UseSite libraryBarrier; ///< of a callee, in a file that is not rewritten
  UseSite groupPrimitive; ///< before the block takes down the lanes anew, if it does
  UseSite opaqueGroup;    ///< the same, of those that cannot be replaced
  bool formsLanes = false;
  bool surelyBlock = false; ///< every thread that comes here waits for the block
  bool surelyWarp = false;  ///< or for lanes of its warp
  Times blockTimes = 0;     ///< of waits for the block
  Times warpTimes = 0;      ///< of waits for that or the whole warp
  bool block() const {
    return static_cast<bool>(plainBarrier) || static_cast<bool>(calleeBarrier) ||
           static_cast<bool>(countingBarrier) || static_cast<bool>(opaqueBarrier) ||
           static_cast<bool>(libraryBarrier);
  }
};

/// What may be waited for; the kind of wait that holds up a thread on its way out.
enum class WaitScope { Block, Warp };

class FunctionFlows;

/// A call, in the text of a function, of one of the program's own functions that waits.
struct WaitingCall {
  const clang::FunctionDecl* callee = nullptr; ///< its definition
  const clang::Expr* call = nullptr;           ///< null where a pointer or an object decides
  clang::SourceLocation where;
  bool leavesBlock = false; ///< behind it the exit can be reached without waiting for the block
  bool leavesWarp = false;  ///< or without waiting at all
};

class WaitSearch {
public:
  using Branches = std::function<bool(const clang::CFGBlock&)>;
  using Target = std::function<UseSite(const Waits&)>;

  /// `flows`: of callees; null to leave callees aside.
  WaitSearch(const clang::FunctionDecl& function, clang::CFG& cfg, CallGraph& calls,
             FunctionFlows* flows);

  bool any(const std::function<bool(const Waits&)>& kind) const;
  const std::vector<WaitingCall>& calls() const { return calls_; }

  /// Is there a way through the function without such a wait?
  bool passesThrough(WaitScope scope) const;

  /// First branch that is not uniform and leads both out and to a wait that `target` accepts;
  /// `pastLanes`: without taking down the lanes anew on the way.
  EarlyReturnFacts::Finding find(const Target& target, WaitScope scope, const Branches& uniform,
                                 bool pastLanes = false) const;

  /// First branch that is not uniform with more barriers on one way than on another.
  EarlyReturnFacts::Finding findUneven(const Branches& uniform) const;

  /// How often every thread that goes through the function waits.
  Times times(WaitScope scope) const { return times_[static_cast<int>(scope)]; }

  /// Does the branch ask what the ballot at the end of the same block asked? Then those whom it
  /// sends away are not among the lanes that the ballot named.
  bool repeatsBallot(const clang::CFGBlock& block) const;

private:
  const Waits& waits(const clang::CFGBlock& block) const { return waits_[block.getBlockID()]; }
  std::vector<bool> leavingBlocks(WaitScope scope) const;
  bool leavesFrom(const clang::CFGBlock& block, const std::vector<bool>& leaves,
                  WaitScope scope) const;
  void findPostDominators();
  void findCalls(const clang::FunctionDecl& function, const FunctionUses& whole, CallGraph& calls,
                 FunctionFlows& flows);
  void addCalls(const clang::FunctionDecl& function, const clang::Stmt& statement,
                CallGraph& calls);
  bool leavesBehind(const clang::CFGBlock& block, const Waits& rest, WaitScope scope) const;
  Times timesOf(const clang::CFGBlock& block, WaitScope scope) const;
  using Blocks = std::set<const clang::CFGBlock*>;
  UseSite firstIn(const Blocks& region, const Target& target) const;
  Blocks before(const clang::CFGBlock& branch) const;
  static Blocks behind(const clang::CFGBlock& start, const Branches& ends);
  std::optional<Times> timesThrough(const clang::CFGBlock& start, const Blocks& region,
                                    WaitScope scope) const;
  Times timesToExit(WaitScope scope) const;
  bool isUneven(const clang::CFGBlock& branch, WaitScope scope) const;
  UseSite reached(const clang::CFGBlock& from, const clang::CFGBlock& branch, const Target& target,
                  bool pastLanes) const;

  const clang::ASTContext& context_;
  clang::CFG& cfg_;
  FormedLanes lanes_;
  std::vector<Waits> waits_;
  std::vector<WaitingCall> calls_;
  std::vector<bool> leaves_[2]; ///< by WaitScope
  Times times_[2];              ///< by WaitScope
  std::vector<std::vector<bool>> meets_;
};

/// One function's control flow with its waits.
struct FunctionFlow {
  std::unique_ptr<clang::CFG> cfg;
  std::unique_ptr<WaitSearch> search;
};

/// Those of a kernel and of what it calls, made when first asked for.
class FunctionFlows {
public:
  explicit FunctionFlows(CallGraph& calls) : calls_(calls) {}

  /// Null for one without a definition or a control flow that Clang can tell.
  const FunctionFlow* of(const clang::FunctionDecl& function);

  /// Does every thread that calls the function wait there? False while that is being found out:
  /// functions that call themselves may not.
  bool surelyWaits(const clang::FunctionDecl& function, WaitScope scope);

  /// Would the function, or one that it calls, lead some threads out and others to a wait if none
  /// of its branches were uniform? True while that is being found out.
  bool maySplit(const clang::FunctionDecl& function, WaitScope scope);

  /// How often such a thread waits; none too while that is being found out.
  Times times(const clang::FunctionDecl& function, WaitScope scope);

private:
  CallGraph& calls_;
  std::map<const clang::FunctionDecl*, FunctionFlow> known_;
  std::map<const clang::FunctionDecl*, bool> splits_[2]; ///< by WaitScope
};

std::unique_ptr<clang::CFG> controlFlow(const clang::FunctionDecl& function);

} // namespace gpusched::passes
