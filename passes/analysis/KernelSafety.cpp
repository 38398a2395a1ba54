// KernelSafety.cpp - the checks, as a table of kinds of use and their refusal codes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why each of them refuses is in Refusals.def and docs/passes/refusals.md.
#include "passes/analysis/KernelSafety.h"

#include "passes/Refusals.h"
#include "passes/analysis/ArgumentCopies.h"
#include "passes/analysis/EarlyReturn.h"
#include "passes/analysis/NameMeanings.h"
#include "passes/analysis/ParameterUses.h"
#include "passes/analysis/Signature.h"
#include "rt/include/gpusched/LaunchAbi.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace gpusched::passes {
namespace {

constexpr uint64_t kParameterLimitBytes = 32764;
constexpr uint64_t kLaunchParametersBytes = sizeof(gpusched_params);
constexpr uint64_t kStaticSharedLimitBytes = 48 * 1024;
constexpr uint64_t kWorkerSharedBytes = 128; // sizeof(gpusched::WorkerShared)
constexpr uint64_t kLaneStateBytes = 256;    // sizeof(gpusched::LaneState)
constexpr uint64_t kLaneWaitsBytes = 4096;   // sizeof(gpusched::LaneWaits)
constexpr uint64_t kMbarrierBytes = 256;     // sizeof(gpusched::MbarrierTable)
constexpr uint64_t kMbarrierPlaces = 64;     // gpusched::MbarrierTable::kPlaces
constexpr uint64_t kLeastDynamicAlignment = 16, kMostDynamicAlignment = 1024; // WorkerMemory.cuh

std::string describe(const SourcePlace& place) {
  return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

enum class Form { Outlined, Spliced };

/// One kernel's judgement in the making; the first refusal stays.
class Judge {
public:
  Judge(const clang::FunctionDecl& kernel, CallGraph& calls, Form form)
      : kernel_(kernel), calls_(calls), context_(kernel.getASTContext()),
        sources_(context_.getSourceManager()), form_(form),
        uses_(usesOf(kernel, *kernel.getBody())) {
    calls_.resolve(uses_);
    calls_.addGivenWaits(kernel_, uses_);
  }

  Judgement run() {
    countFacts();
    checkParameterSize();
    checkBody();
    checkCallees();
    checkErrors();
    checkControlFlow();
    checkSharedSize();
    return result_;
  }

  Judgement run(KernelText& text, VirtualFunctions& functions,
                std::vector<const VirtualFunction*>& callees) {
    checkParameters(text);
    run();
    const KernelFacts& facts = result_.facts;
    noteMeanings(uses_, text);
    const Drain drain = facts.laneDrain      ? Drain::Lanes
                        : facts.drainBarrier ? Drain::Barriers
                                             : Drain::Nothing;
    if (!result_.refusal)
      result_.refusal = functions.require(uses_, text, callees, drain);
    if (result_.refusal)
      functions.followRefused(uses_, text, callees, drain);
    if (facts.laneDrain)
      text.primitives.insert(uses_.primitives.begin(), uses_.primitives.end());
    if (facts.drainBarrier)
      text.primitives.insert(uses_.counts.begin(), uses_.counts.end());
    if (uses_.mbarrier)
      text.primitives.insert(kMbarrierNotes);
    return result_;
  }

private:
  void refuseAt(RefusalCode code, std::string detail, clang::SourceLocation where) {
    if (!result_.refusal)
      result_.refusal = refuse(code, std::move(detail), placeOf(where, sources_));
  }

  /// See LoopEnd.h. What nobody sees here may do anything.
  bool mayWait() {
    const bool rereads = total_.rereads || total_.atomics > 0 || total_.blockBarriers > 0 ||
                         total_.warpPrimitives > 0 || has(&FunctionUses::groupPrimitive) ||
                         has(&FunctionUses::mbarrier) || has(&FunctionUses::barrierObject);
    return total_.writtenLoops || (total_.readLoops && rereads) || calls_.findInvisible(uses_) ||
           has(&FunctionUses::indirectCall);
  }

  void countFacts() {
    total_ = uses_;
    calls_.addCounts(uses_, total_);
    KernelFacts& facts = result_.facts;
    facts.blockBarriers = total_.blockBarriers;
    facts.warpPrimitives = total_.warpPrimitives;
    facts.atomics = total_.atomics;
    facts.loops = total_.loops;
    facts.mayWait = mayWait();
    facts.staticShared = total_.staticShared;
    facts.dynamicShared = total_.dynamicShared;
    facts.staticSharedBytes = total_.staticSharedBytes;
    const bool seesAll = form_ == Form::Spliced;
    facts.countingBarriers =
        has(&FunctionUses::countingBarrier) || (seesAll && has(&FunctionUses::opaqueBarrier));
    facts.mbarriers =
        has(&FunctionUses::mbarrier) || (seesAll && has(&FunctionUses::barrierObject));
    facts.asyncCopies = has(&FunctionUses::asyncCopy);
    facts.bulkCopies = has(&FunctionUses::bulkCopy);
    if (const auto* bounds = kernel_.getAttr<clang::CUDALaunchBoundsAttr>()) {
      facts.maxThreadsPerBlock = constant(bounds->getMaxThreads());
      facts.minBlocksPerSm = constant(bounds->getMinBlocks());
    }
  }

  bool has(UseSite FunctionUses::* kind) { return uses_.*kind || calls_.find(uses_, kind); }

  uint32_t constant(const clang::Expr* expression) const {
    clang::Expr::EvalResult value;
    if (!expression || expression->isValueDependent() ||
        !expression->EvaluateAsInt(value, context_))
      return 0;
    return static_cast<uint32_t>(value.Val.getInt().getZExtValue());
  }

  void checkParameters(KernelText& text) {
    std::size_t place = 0;
    const bool losesConst = has(&FunctionUses::lostConst);
    const std::set<const clang::ParmVarDecl*> changed = changedParameters(kernel_);
    for (const clang::ParmVarDecl* parameter : kernel_.parameters()) {
      KernelParameter* const written = parameterFor(place++, text);
      const clang::QualType type = parameter->getType();
      if (type->isIncompleteType() || type->isDependentType() || !written || written->gridConstant)
        continue;
      written->isChanged |= losesConst || changed.count(parameter);
      if (copiesLikeBits(type)) {
        written->byReference |= written->isReferable && type->isRecordType();
        continue;
      }
      if (!written->nameOffset)
        refuseAt(RefusalCode::ParameterNotCopyable, "'" + parameter->getNameAsString() + "'",
                 parameter->getLocation());
      else
        written->byReference = true;
    }
  }

  void checkParameterSize() {
    uint64_t bytes = 0;
    for (const clang::ParmVarDecl* parameter : kernel_.parameters()) {
      const clang::QualType type = parameter->getType();
      if (type->isIncompleteType() || type->isDependentType())
        continue;
      const uint64_t align = context_.getTypeAlignInChars(type).getQuantity();
      bytes = (bytes + align - 1) / align * align + context_.getTypeSizeInChars(type).getQuantity();
    }
    if (bytes + kLaunchParametersBytes > kParameterLimitBytes)
      refuseAt(RefusalCode::ParametersTooLarge, std::to_string(bytes) + " bytes",
               kernel_.getLocation());
  }

  /// As written, where the last may be a pack; null for a signature that could not be read.
  static KernelParameter* parameterFor(std::size_t place, KernelText& text) {
    return text.parameters.empty() ? nullptr
                                   : &text.parameters[std::min(place, text.parameters.size() - 1)];
  }

  struct Rule {
    UseSite FunctionUses::* kind;
    RefusalCode code;
    bool inBody, inCallees;
    bool ofText = false; ///< what an outlined body cannot be, and PTX can
  };

  bool holds(const Rule& rule) const { return form_ == Form::Outlined || !rule.ofText; }

  static const std::vector<Rule>& rules() {
    using Uses = FunctionUses;
    static const std::vector<Rule> table = {
        {&Uses::mentionOfItself, RefusalCode::MentionsItself, true, false, true},
        {&Uses::indirectCall, RefusalCode::IndirectCall, true, true},
        {&Uses::globalBlockIndex, RefusalCode::GlobalBuiltin, true, false, true},
        {&Uses::hiddenBlockIndex, RefusalCode::UncapturedBuiltin, true, false, true},
        {&Uses::gridSync, RefusalCode::GridSynchronization, true, true},
        {&Uses::cluster, RefusalCode::Clusters, true, true},
        {&Uses::kernelLaunch, RefusalCode::DynamicParallelism, true, true},
        {&Uses::assembly, RefusalCode::InlineAssembly, true, true},
        {&Uses::indexAssembly, RefusalCode::InlineAssembly, true, true, true},
        {&Uses::barrierObject, RefusalCode::SharedBarrierObject, true, true, true},
    };
    return table;
  }

  void checkBody() {
    for (const Rule& rule : rules())
      if (rule.inBody && holds(rule))
        if (const UseSite& site = uses_.*rule.kind)
          refuseAt(rule.code, site.what, site.where);
    for (const char* name : {"blockIdx", "gridDim", "__syncthreads"})
      if (form_ == Form::Outlined && uses_.otherNames.count(name))
        refuseAt(RefusalCode::UnusualSignature, std::string("a variable is named ") + name,
                 kernel_.getLocation());
    if (kernel_.hasAttr<clang::CUDAClusterDimsAttr>())
      refuseAt(RefusalCode::Clusters, "__cluster_dims__", kernel_.getLocation());
  }

  void checkCallees() {
    for (const Rule& rule : rules())
      if (rule.inCallees && holds(rule))
        if (const std::optional<CalleeUse> use = calls_.find(uses_, rule.kind))
          refuseAt(rule.code,
                   "calls '" + use->function->getNameAsString() + "' (" + use->site.what + " at " +
                       describe(placeOf(use->site.where, sources_)) + ")",
                   use->call);
    if (const std::optional<CallSite> call =
            form_ == Form::Outlined ? calls_.findStrayLambda(kernel_, uses_) : std::nullopt)
      refuseAt(RefusalCode::UncapturedBuiltin, "a lambda of a function that is not called",
               call->where);
    if (const std::optional<CallSite> call = calls_.findInvisible(uses_))
      refuseAt(RefusalCode::CalleeNotVisible,
               "'" + call->callee->getNameAsString() + "', declared at " +
                   describe(placeOf(call->callee->getLocation(), sources_)) +
                   " and defined in another file",
               call->where);
  }

  void checkErrors() {
    if (const std::optional<clang::SourceLocation> error = calls_.findError(kernel_, uses_))
      refuseAt(RefusalCode::BodyNotUnderstood, describe(placeOf(*error, sources_)),
               kernel_.getLocation());
  }

  void checkSharedSize() {
    KernelFacts& facts = result_.facts;
    const uint64_t beside = total_.staticSharedBytes + (facts.laneDrain ? kLaneStateBytes : 0) +
                            (facts.anyMaskDrain ? kLaneWaitsBytes : 0);
    const uint64_t ours = kWorkerSharedBytes + (facts.mbarriers ? kMbarrierBytes : 0);
    const bool hasTiles = total_.dynamicShared && (facts.mbarriers || facts.bulkCopies);
    if (hasTiles || beside + ours > kStaticSharedLimitBytes)
      facts.behindAlignment =
          static_cast<uint32_t>(std::max(total_.dynamicAlignment, kLeastDynamicAlignment));
    if (facts.mbarriers && total_.staticMbarriers > kMbarrierPlaces)
      refuseAt(RefusalCode::SharedBarrierObject,
               std::to_string(total_.staticMbarriers) + " of them", kernel_.getLocation());
    facts.lanesBehind = beside > kStaticSharedLimitBytes && form_ != Form::Outlined;
    if ((beside > kStaticSharedLimitBytes && !facts.lanesBehind) ||
        facts.behindAlignment > kMostDynamicAlignment)
      refuseAt(RefusalCode::StaticSharedTooLarge,
               std::to_string(total_.staticSharedBytes) + " bytes", kernel_.getLocation());
  }

  void checkControlFlow() {
    if (total_.blockBarriers == 0 && total_.warpPrimitives == 0)
      return;
    const bool onlyTiles = total_.tilePrimitives == total_.warpPrimitives && total_.tileLanes > 0;
    const EarlyReturnFacts early =
        findEarlyReturns(kernel_, onlyTiles ? total_.tileLanes : 32, calls_);
    KernelFacts& facts = result_.facts;
    facts.laneDrain = static_cast<bool>(early.warpPrimitive);
    facts.anyMaskDrain = static_cast<bool>(early.maskedPrimitive);
    facts.drainBarrier =
        facts.laneDrain || early.plainBarrier || early.calleeBarrier || early.countingBarrier;
    facts.earlyReturn = facts.drainBarrier || early.opaqueBarrier;
    facts.wholeWarpRows = early.needsWholeWarpRows;
    if (form_ == Form::Outlined)
      refuseUntold(early);
    else
      drainUntold(early);
  }

  /// Waits that the text cannot say the truth to.
  void refuseUntold(const EarlyReturnFacts& early) {
    const KernelFacts& facts = result_.facts;
    if (const std::optional<CalleeUse> end = calls_.findUnseenWait(uses_))
      refuseAt(RefusalCode::CalleeBarrierAfterExit,
               end->site.what + " in '" + end->function->getNameAsString() + "'", end->call);
    if (early.opaqueBarrier)
      refuseAt(RefusalCode::CalleeBarrierAfterExit, early.opaqueBarrier.site.what,
               early.opaqueBarrier.branch);
    if (early.opaquePrimitive)
      refuseAt(RefusalCode::WarpPrimitiveAfterExit, early.opaquePrimitive.site.what,
               early.opaquePrimitive.branch);
    if (facts.drainBarrier && uses_.hiddenBarrier)
      refuseAt(RefusalCode::CalleeBarrierAfterExit, uses_.hiddenBarrier.what,
               uses_.hiddenBarrier.where);
    if (facts.laneDrain && uses_.hiddenPrimitive)
      refuseAt(RefusalCode::WarpPrimitiveAfterExit, uses_.hiddenPrimitive.what,
               uses_.hiddenPrimitive.where);
  }

  /// In PTX all waits are told. Of those that were not searched for threads that leave, all are.
  void drainUntold(const EarlyReturnFacts& early) {
    KernelFacts& facts = result_.facts;
    const bool unseen = calls_.findUnseenWait(uses_).has_value();
    facts.drainBarrier |= unseen || early.opaqueBarrier;
    facts.earlyReturn |= facts.drainBarrier;
    facts.unsureDrain = unseen || early.opaqueBarrier || early.opaquePrimitive;
    if (early.opaquePrimitive || (unseen && total_.warpPrimitives != 0)) {
      facts.laneDrain = facts.anyMaskDrain = true;
      facts.wholeWarpRows = false;
    }
  }

  const clang::FunctionDecl& kernel_;
  CallGraph& calls_;
  const clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const Form form_;
  FunctionUses uses_;
  FunctionUses total_;
  Judgement result_;
};

} // namespace

Judgement judge(const clang::FunctionDecl& kernel, KernelText& text, CallGraph& calls,
                VirtualFunctions& functions, std::vector<const VirtualFunction*>& callees) {
  return Judge(kernel, calls, Form::Outlined).run(text, functions, callees);
}

Judgement judgeSpliced(const clang::FunctionDecl& kernel, CallGraph& calls) {
  return Judge(kernel, calls, Form::Spliced).run();
}

} // namespace gpusched::passes
