// EarlyReturn.cpp - asks WaitSearch about a kernel and, call by call, about what it calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaving a function is leaving the kernel where its caller can leave behind the call without a
// wait. What a callee's parameters are is what the arguments of that call are, so a function is
// looked at once for every combination that it is called with.
#include "passes/analysis/EarlyReturn.h"

#include "passes/analysis/Uniformity.h"
#include "passes/analysis/WaitSearch.h"

#include "clang/AST/DeclCXX.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace gpusched::passes {
namespace {

using Branches = WaitSearch::Branches;
using Finding = EarlyReturnFacts::Finding;

/// Which primitives are looked for: those that name lanes themselves, and those that name lanes of
/// a group, where some leave after it was formed.
struct Primitives {
  UseSite Waits::* named;
  UseSite Waits::* grouped;
};
constexpr Primitives kAll{&Waits::warpPrimitive, &Waits::groupPrimitive};
constexpr Primitives kMasked{&Waits::maskedPrimitive, &Waits::groupPrimitive};
constexpr Primitives kOpaque{&Waits::opaquePrimitive, &Waits::opaqueGroup};

Finding findWarpWaits(const WaitSearch& search, const Branches& uniform, Primitives kind) {
  if (const Finding named = search.find([kind](const Waits& waits) { return waits.*kind.named; },
                                        WaitScope::Warp, uniform))
    return named;
  return search.find(
      [kind](const Waits& waits) { return waits.*kind.grouped; }, WaitScope::Warp,
      [&](const clang::CFGBlock& block) { return uniform(block) || search.repeatsBallot(block); },
      true);
}

/// How a function is reached.
struct Situation {
  CallValues values;
  bool leaves = true;                          ///< who leaves the function can leave the kernel
  bool inMember = false;                       ///< it is a member function, or called by one
  const clang::FunctionDecl* callee = nullptr; ///< null: the kernel itself
  clang::SourceLocation call;

  /// A finding of a callee, at the place of its call.
  Finding placed(const Finding& found) const {
    return callee && found
               ? Finding{found.branch,
                         {call, found.site.what + " in '" + callee->getNameAsString() + "'"}}
               : found;
  }
};

/// One walk over a kernel and those of its callees from which threads could leave it, under one set
/// of assumptions. What is uniform in a function is found out when a branch of it matters.
class Descent {
public:
  using Judge = std::function<void(const WaitSearch&, const Branches& uniform, const Situation&)>;

  Descent(FunctionFlows& flows, CallGraph& calls, UniformityAssumptions assume, WaitScope scope,
          Judge judge)
      : flows_(flows), calls_(calls), assume_(assume), scope_(scope), judge_(std::move(judge)) {}

  /// Also in callees behind which all wait again.
  Descent& everywhere() {
    everywhere_ = true;
    return *this;
  }

  void visit(const clang::FunctionDecl& function, const Situation& situation) {
    const FunctionFlow* const flow = flows_.of(function);
    if (!flow || !(situation.leaves || everywhere_) || !flows_.maySplit(function, scope_) ||
        !seen_.insert(keyOf(function, situation)).second)
      return;
    std::optional<Uniformity> known;
    const auto uniformity = [&]() -> const Uniformity& {
      UniformityAssumptions assume = assume_;
      assume.values = situation.callee ? &situation.values : nullptr;
      return known ? *known : known.emplace(function, *flow->cfg, calls_, assume);
    };
    judge_(
        *flow->search,
        [&](const clang::CFGBlock& block) {
          return scope_ == WaitScope::Block ? uniformity().branchIsBlockUniform(block)
                                            : uniformity().branchIsWarpUniform(block);
        },
        situation);
    for (const WaitingCall& call : flow->search->calls())
      if (flows_.maySplit(*call.callee, scope_))
        visit(*call.callee, below(situation, call, uniformity()));
  }

private:
  Situation below(const Situation& situation, const WaitingCall& call,
                  const Uniformity& uniformity) const {
    Situation next;
    next.leaves =
        situation.leaves && (scope_ == WaitScope::Block ? call.leavesBlock : call.leavesWarp);
    next.inMember = situation.inMember ||
                    (llvm::isa<clang::CXXMethodDecl>(call.callee) && !isDeviceLambda(*call.callee));
    next.callee = call.callee;
    next.call = call.where;
    if (call.call)
      next.values = uniformity.valuesAt(*call.call);
    return next;
  }

  using Key = std::pair<const clang::FunctionDecl*, std::vector<int>>;

  static Key keyOf(const clang::FunctionDecl& function, const Situation& situation) {
    const auto number = [](Uniform value) {
      return value.level * 4 + value.isMultiple * 2 + value.mayBeNegative;
    };
    Key key = {&function, {situation.inMember, number(situation.values.object)}};
    for (const Uniform& value : situation.values.arguments)
      key.second.push_back(number(value));
    return key;
  }

  FunctionFlows& flows_;
  CallGraph& calls_;
  UniformityAssumptions assume_;
  WaitScope scope_;
  bool everywhere_ = false;
  Judge judge_;
  std::set<Key> seen_;
};

void keep(Finding& kept, const Situation& situation, const Finding& found) {
  if (!kept)
    kept = situation.placed(found);
}

/// Behind a branch with more barriers on one way all that follow are out of step, until the drain
/// barrier has counted who is left. One that cannot be replaced may stand anywhere.
void addUneven(const Finding& uneven, const WaitSearch& kernel, EarlyReturnFacts& facts) {
  if (!uneven)
    return;
  if (!facts.calleeBarrier)
    facts.calleeBarrier = uneven;
  if (!facts.opaqueBarrier &&
      kernel.any([](const Waits& waits) { return static_cast<bool>(waits.opaqueBarrier); }))
    facts.opaqueBarrier = uneven;
}

/// Barriers of members, and those that are asked questions, are judged like those that cannot be
/// replaced: fewer of them need to be. So is the whole kernel where a library waits: that is in its
/// twin as it is, and would count fewer threads than the drain barriers beside it.
void findBlockWaits(const clang::FunctionDecl& kernel, FunctionFlows& flows, CallGraph& calls,
                    EarlyReturnFacts& facts) {
  const auto find = [&](const WaitSearch& search, UseSite Waits::* kind, const Branches& uniform) {
    return search.find([kind](const Waits& waits) { return waits.*kind; }, WaitScope::Block,
                       uniform);
  };
  const auto findPlain = [&](const WaitSearch& search, const Branches& uniform,
                             const Situation& situation) {
    keep(situation.callee ? facts.calleeBarrier : facts.plainBarrier, situation,
         find(search, &Waits::plainBarrier, uniform));
    keep(facts.calleeBarrier, situation, find(search, &Waits::calleeBarrier, uniform));
  };
  const bool library = flows.of(kernel)->search->any(
      [](const Waits& waits) { return static_cast<bool>(waits.libraryBarrier); });
  Descent(flows, calls, {.raceFree = library}, WaitScope::Block,
          [&](const WaitSearch& search, const Branches& uniform, const Situation& situation) {
            if (!situation.inMember)
              findPlain(search, uniform, situation);
          })
      .visit(kernel, {});
  Descent(flows, calls, {.raceFree = true}, WaitScope::Block,
          [&](const WaitSearch& search, const Branches& uniform, const Situation& situation) {
            keep(facts.countingBarrier, situation, find(search, &Waits::countingBarrier, uniform));
            keep(facts.opaqueBarrier, situation, find(search, &Waits::opaqueBarrier, uniform));
            keep(facts.calleeBarrier, situation, find(search, &Waits::libraryBarrier, uniform));
            if (situation.inMember)
              findPlain(search, uniform, situation);
          })
      .visit(kernel, {});
  Finding uneven;
  Descent(flows, calls, {.raceFree = true}, WaitScope::Block,
          [&](const WaitSearch& search, const Branches& uniform, const Situation& situation) {
            keep(uneven, situation, search.findUneven(uniform));
          })
      .everywhere()
      .visit(kernel, {});
  addUneven(uneven, *flows.of(kernel)->search, facts);
}

Finding findLaneWaits(const clang::FunctionDecl& kernel, FunctionFlows& flows, CallGraph& calls,
                      Primitives kind, const UniformityAssumptions& assume) {
  Finding finding;
  Descent(flows, calls, assume, WaitScope::Warp,
          [&](const WaitSearch& search, const Branches& uniform, const Situation& situation) {
            keep(finding, situation, findWarpWaits(search, uniform, kind));
          })
      .visit(kernel, {});
  return finding;
}

/// Rows of whole warps are asked for only where they make the lane drain needless, possible, or do
/// for masks of the whole warp. `lanes`: that a primitive names at most.
void findLaneWaits(const clang::FunctionDecl& kernel, FunctionFlows& flows, CallGraph& calls,
                   unsigned lanes, EarlyReturnFacts& facts) {
  const auto find = [&](Primitives kind, bool wholeRows) {
    return findLaneWaits(kernel, flows, calls, kind,
                         {.wholeWarpRows = wholeRows, .raceFree = true, .lanes = lanes});
  };
  facts.warpPrimitive = find(kAll, false);
  if (facts.warpPrimitive)
    facts.warpPrimitive = find(kAll, facts.needsWholeWarpRows = true);
  if (!facts.warpPrimitive)
    return;
  facts.opaquePrimitive = find(kOpaque, false);
  facts.needsWholeWarpRows = static_cast<bool>(facts.opaquePrimitive);
  if (facts.opaquePrimitive)
    facts.opaquePrimitive = find(kOpaque, true);
  facts.maskedPrimitive = find(kMasked, facts.needsWholeWarpRows);
  if (facts.maskedPrimitive && !facts.needsWholeWarpRows && !find(kMasked, true)) {
    facts.maskedPrimitive = {};
    facts.needsWholeWarpRows = true;
  }
}

} // namespace

bool losesGroupLanes(const clang::FunctionDecl& callee, CallGraph& calls) {
  const clang::FunctionDecl* definition = nullptr;
  const bool visible = callee.hasBody(definition);
  const std::unique_ptr<clang::CFG> cfg = visible ? controlFlow(*definition) : nullptr;
  if (!cfg)
    return true;
  const CallValues unknown;
  const Uniformity uniformity(*definition, *cfg, calls, {.raceFree = true, .values = &unknown});
  return static_cast<bool>(findWarpWaits(
      WaitSearch(*definition, *cfg, calls, nullptr),
      [&](const clang::CFGBlock& block) { return uniformity.branchIsWarpUniform(block); }, kAll));
}

EarlyReturnFacts findEarlyReturns(const clang::FunctionDecl& kernel, unsigned lanes,
                                  CallGraph& calls) {
  EarlyReturnFacts facts;
  FunctionFlows flows(calls);
  const FunctionFlow* const flow = flows.of(kernel);
  if (!flow) {
    facts.opaqueBarrier = {kernel.getLocation(), {kernel.getLocation(), "unknown control flow"}};
    return facts;
  }
  if (flow->search->any([](const Waits& waits) { return waits.block(); }))
    findBlockWaits(kernel, flows, calls, facts);
  if (!flow->search->any(
          [](const Waits& waits) { return waits.warpPrimitive || waits.groupPrimitive; }))
    return facts;
  findLaneWaits(kernel, flows, calls, lanes, facts);
  return facts;
}

} // namespace gpusched::passes
