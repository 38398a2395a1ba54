// CallGraph.cpp - memoised walks over reachable functions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost: each function body is visited once per file. A query is linear in the reachable part that
// has what is asked for; those that start at one function, which every statement asks of its
// callees, are answered once.
#include "passes/analysis/CallGraph.h"

#include "passes/analysis/WholeWarps.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <algorithm>
#include <array>
#include <set>

namespace gpusched::passes {
namespace {

/// Of a template whose text is here and that no other file instantiates: where Clang made no body
/// of it, it reported why.
bool isTemplateHere(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* const pattern = function.getTemplateInstantiationPattern();
  return pattern && pattern->hasBody() &&
         function.getTemplateSpecializationKind() != clang::TSK_ExplicitInstantiationDeclaration;
}

const clang::FunctionDecl* definitionOf(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* definition = nullptr;
  return function.hasBody(definition) ? definition : nullptr;
}

bool isDeclaredBySystem(const clang::FunctionDecl& function) {
  const clang::SourceManager& sources = function.getASTContext().getSourceManager();
  return std::any_of(
      function.redecls_begin(), function.redecls_end(), [&](const clang::FunctionDecl* declared) {
        return sources.isInSystemHeader(sources.getExpansionLoc(declared->getLocation()));
      });
}

/// `extern "C"` names one function, however it is declared: programs repeat __assertfail's
/// declaration with `const void*`, which Clang takes for an overload.
bool namesSystemFunction(const clang::FunctionDecl& function) {
  if (!function.isExternC())
    return false;
  const clang::DeclContextLookupResult found =
      function.getASTContext().getTranslationUnitDecl()->lookup(function.getDeclName());
  return std::any_of(found.begin(), found.end(), [](const clang::NamedDecl* named) {
    const auto* other = llvm::dyn_cast<clang::FunctionDecl>(named);
    return other && other->isExternC() && other->hasAttr<clang::CUDADeviceAttr>() &&
           isDeclaredBySystem(*other);
  });
}

bool isSystem(const clang::FunctionDecl& function) {
  return function.getBuiltinID() != 0 || function.getLocation().isInvalid() ||
         isDeclaredBySystem(function) || namesSystemFunction(function);
}

/// nvcc lets a __host__ __device__ function name it, and makes no call of it on the device.
bool isHostOnly(const clang::FunctionDecl& function) {
  return !function.hasAttr<clang::CUDADeviceAttr>() && !function.hasAttr<clang::CUDAGlobalAttr>();
}

/// Of a function without a body here: is it one of the user's that has one elsewhere?
bool isInvisible(const clang::FunctionDecl& function) {
  return !isHostOnly(function) && !isSystem(function) && !function.isTrivial() &&
         !function.isDefaulted() && !function.isDeleted() && !isTemplateHere(function);
}

/// Those that CallGraph searches for.
constexpr std::array kSearched = {
    &FunctionUses::blockIndex,       &FunctionUses::globalBlockIndex,
    &FunctionUses::hiddenBlockIndex, &FunctionUses::plainBarrier,
    &FunctionUses::hiddenBarrier,    &FunctionUses::countingBarrier,
    &FunctionUses::opaqueBarrier,    &FunctionUses::warpPrimitive,
    &FunctionUses::toldPrimitive,    &FunctionUses::libraryPrimitive,
    &FunctionUses::maskedPrimitive,  &FunctionUses::opaquePrimitive,
    &FunctionUses::groupPrimitive,   &FunctionUses::opaqueGroup,
    &FunctionUses::threadDependence, &FunctionUses::assembly,
    &FunctionUses::mbarrier,         &FunctionUses::asyncCopy,
    &FunctionUses::bulkCopy,         &FunctionUses::gridSync,
    &FunctionUses::cluster,          &FunctionUses::kernelLaunch,
    &FunctionUses::staticVariable,   &FunctionUses::indirectCall,
    &FunctionUses::barrierObject,    &FunctionUses::lostConst,
    &FunctionUses::indexAssembly,
};
/// What lanes of a warp do among themselves, and what may differ between them.
constexpr std::array kAsksLanes = {
    &FunctionUses::warpPrimitive,    &FunctionUses::toldPrimitive,
    &FunctionUses::libraryPrimitive, &FunctionUses::maskedPrimitive,
    &FunctionUses::opaquePrimitive,  &FunctionUses::groupPrimitive,
    &FunctionUses::opaqueGroup,      &FunctionUses::threadDependence,
    &FunctionUses::lostConst,
};
constexpr Kinds kInvisible = Kinds(1) << kSearched.size();

/// None for a kind that is not among them: then nothing is passed over.
Kinds kindsOf(UseSite FunctionUses::* kind) {
  const auto* const place = std::find(kSearched.begin(), kSearched.end(), kind);
  return place == kSearched.end() ? 0 : Kinds(1) << (place - kSearched.begin());
}

} // namespace

/// Clang takes lambdas of host code for functions of both sides.
static bool isWrittenDevice(const clang::FunctionDecl& function) {
  const auto* attribute = function.getAttr<clang::CUDADeviceAttr>();
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return attribute && !(method && method->getParent()->isLambda() && attribute->isImplicit());
}

bool isDeviceLambda(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (!method || !method->getParent()->isLambda())
    return false;
  for (const clang::DeclContext* scope = method->getParent()->getDeclContext(); scope;
       scope = scope->getParent())
    if (const auto* outer = llvm::dyn_cast<clang::FunctionDecl>(scope))
      if (outer->hasAttr<clang::CUDAGlobalAttr>() || isWrittenDevice(*outer))
        return true;
  return false;
}

bool isLibraryFunction(const clang::FunctionDecl& function) {
  const clang::SourceManager& sources = function.getASTContext().getSourceManager();
  return sources.isInSystemHeader(sources.getExpansionLoc(function.getLocation()));
}

CallGraph::CallGraph(clang::ASTContext& context, const std::vector<clang::SourceLocation>& errors,
                     bool closed)
    : sources_(context.getSourceManager()), targets_(context), closed_(closed),
      errors_(context.getSourceManager(), errors),
      reached_([this](const clang::FunctionDecl& function) { return ownKinds(function); }) {}

void CallGraph::resolve(FunctionUses& uses) {
  for (const IndirectCall& call : uses.indirectCalls) {
    const std::vector<const clang::FunctionDecl*> found = targets_.of(call, closed_);
    for (const clang::FunctionDecl* target : found) {
      uses.calls.push_back({target, call.site.where, true});
      if (llvm::isa<clang::CXXDestructorDecl>(target))
        uses.unseenCalls.push_back(uses.calls.back());
    }
    if (found.empty() && !uses.indirectCall)
      uses.indirectCall = call.site;
  }
  uses.indirectCalls.clear();
}

const FunctionUses* CallGraph::uses(const clang::FunctionDecl& function) {
  const auto [place, isNew] = known_.try_emplace(function.getCanonicalDecl());
  std::optional<FunctionUses>& own = place->second;
  const clang::FunctionDecl* const definition = isNew ? definitionOf(function) : nullptr;
  if (definition) {
    own = usesOf(*definition, *definition->getBody());
    (isLibraryFunction(*definition) ? own->libraryPrimitive : own->toldPrimitive) =
        own->warpPrimitive;
    resolve(*own);
    dropWholeWarps(*own);
    addGivenWaits(*definition, *own);
  }
  return own ? &*own : nullptr;
}

/// Where nobody sees the arguments, they may name any word.
void CallGraph::addGivenWaits(const clang::FunctionDecl& function, FunctionUses& own) {
  for (const CallSite& call : own.calls) {
    const FunctionUses* const callee = uses(*call.callee);
    if (!callee || callee == &own) // of a function that calls itself only the outermost call counts
      continue;
    for (const ForeignWord& given : callee->givenWaits) {
      const ForeignWord word =
          call.call ? wordOfCall(given, *call.call, function) : ForeignWord{given.name, false, {}};
      if (word.name.empty())
        continue;
      if (word.parameters.empty())
        note(own.gridSync, call.where,
             "a loop in '" + call.callee->getNameAsString() + "' that only waits for " +
                 word.text());
      else
        own.givenWaits.insert(word);
    }
  }
}

/// Calls in which lanes only ask each other, while all of them are there.
void CallGraph::dropWholeWarps(FunctionUses& own) {
  FunctionUses dropped;
  std::erase_if(own.calls, [&](const CallSite& call) {
    const bool drops = call.inWholeWarp && !call.indirect && onlyAsksLanes(*call.callee);
    if (drops)
      dropped.calls.push_back(call);
    return drops;
  });
  if (dropped.calls.empty())
    return;
  std::erase_if(own.methodCalls, [&](const MethodCallSite& method) {
    return llvm::any_of(dropped.calls,
                        [&](const CallSite& call) { return call.callee == method.callee; });
  });
  addCounts(dropped, own);
  // Like a loop it wants a barrier between two blocks of a twin: a lane that is in the next one
  // already must not be there when others ask who is.
  own.loops = true;
}

bool CallGraph::onlyAsksLanes(const clang::FunctionDecl& function) {
  std::set<const clang::FunctionDecl*> seen;
  std::vector<const clang::FunctionDecl*> pending = {&function};
  while (!pending.empty()) {
    const clang::FunctionDecl* const next = pending.back();
    pending.pop_back();
    if (!seen.insert(next->getCanonicalDecl()).second)
      continue;
    const clang::FunctionDecl* const definition = definitionOf(*next);
    const FunctionUses* const own = uses(*next);
    if (!own && (definition || isInvisible(*next)))
      return false;
    if (!own)
      continue;
    const bool hasOther = llvm::any_of(kSearched, [&](UseSite FunctionUses::* kind) {
      return own->*kind && !llvm::is_contained(kAsksLanes, kind);
    });
    if (hasOther || !own->unseenCalls.empty() || !endsForAll(*definition))
      return false;
    for (const CallSite& call : own->calls)
      pending.push_back(call.callee);
  }
  return true;
}

OwnKinds CallGraph::ownKinds(const clang::FunctionDecl& function) {
  const FunctionUses* const own = uses(function);
  if (!own)
    return {isInvisible(function) ? kInvisible : 0, {}};
  OwnKinds result;
  for (UseSite FunctionUses::* const kind : kSearched)
    if (own->*kind)
      result.kinds |= kindsOf(kind);
  for (const CallSite& call : own->calls)
    result.callees.push_back(call.callee);
  return result;
}

void CallGraph::walk(const std::vector<CallSite>& calls, const Visitor& visit, Kinds wanted) {
  llvm::SmallPtrSet<const clang::FunctionDecl*, 32> seen;
  struct Pending {
    CallSite first;
    const clang::FunctionDecl* function;
  };
  std::vector<Pending> pending;
  for (std::vector<CallSite>::const_reverse_iterator call = calls.rbegin(); call != calls.rend();
       ++call)
    pending.push_back({*call, call->callee});
  while (!pending.empty()) {
    const Pending next = pending.back();
    pending.pop_back();
    if (!seen.insert(next.function->getCanonicalDecl()).second ||
        (wanted != 0 && (reached_.from(*next.function) & wanted) == 0))
      continue;
    const FunctionUses* const found = uses(*next.function);
    if (visit(next.first, *next.function, found))
      return;
    if (found)
      for (const CallSite& call : found->calls)
        pending.push_back({next.first, call.callee});
  }
}

std::optional<CalleeUse> CallGraph::find(const FunctionUses& root, UseSite FunctionUses::* kind) {
  std::optional<CalleeUse> result;
  walk(
      root.calls,
      [&](const CallSite& first, const clang::FunctionDecl& function, const FunctionUses* found) {
        if (!found || !(found->*kind) || isDeviceLambda(function))
          return false;
        result = CalleeUse{first.where, &function, found->*kind};
        return true;
      },
      kindsOf(kind));
  return result;
}

/// The answer among `known` about `kind`, or the one that `ask` gives, kept.
template <class Answer, class Ask>
static Answer answer(std::vector<std::pair<UseSite FunctionUses::*, Answer>>& known,
                     UseSite FunctionUses::* kind, Ask ask) {
  for (const auto& [asked, answered] : known)
    if (asked == kind)
      return answered;
  return known.emplace_back(kind, ask()).second;
}

std::optional<CalleeUse> CallGraph::findFrom(const CallSite& call, UseSite FunctionUses::* kind) {
  std::optional<CalleeUse> result = answer(foundFrom_[call.callee], kind, [&] {
    std::optional<CalleeUse> first;
    walk(
        {call},
        [&](const CallSite&, const clang::FunctionDecl& function, const FunctionUses* uses) {
          if (uses && uses->*kind)
            first = CalleeUse{{}, &function, uses->*kind};
          return first.has_value();
        },
        kindsOf(kind));
    return first;
  });
  if (result)
    result->call = call.where;
  return result;
}

bool CallGraph::does(const clang::FunctionDecl& function, UseSite FunctionUses::* kind) {
  return answer(does_[function.getCanonicalDecl()], kind, [&] {
    const FunctionUses* const own = uses(function);
    return own && (own->*kind || find(*own, kind));
  });
}

bool CallGraph::asksAboutThread(const clang::FunctionDecl& function) {
  const auto [known, isNew] = asksAboutThread_.try_emplace(&function, true);
  if (isNew) {
    const FunctionUses* const own = uses(function);
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    known->second = !own || (method && method->isVirtual()) ||
                    does(function, &FunctionUses::threadDependence) ||
                    does(function, &FunctionUses::indirectCall) || findInvisible(*own);
  }
  return known->second;
}

std::optional<CalleeUse> CallGraph::findUnseenWait(const FunctionUses& root) {
  std::optional<CalleeUse> result;
  const auto search = [&](clang::SourceLocation first, const FunctionUses& uses) {
    for (const CallSite& call : uses.unseenCalls)
      for (UseSite FunctionUses::* const kind :
           {&FunctionUses::plainBarrier, &FunctionUses::countingBarrier,
            &FunctionUses::opaqueBarrier, &FunctionUses::warpPrimitive,
            &FunctionUses::groupPrimitive})
        if (!result && !isSystem(*call.callee))
          if (const std::optional<CalleeUse> wait = findFrom(call, kind))
            result = CalleeUse{first.isValid() ? first : call.where, call.callee, wait->site};
    return result.has_value();
  };
  if (!search({}, root))
    walk(root.calls,
         [&](const CallSite& first, const clang::FunctionDecl&, const FunctionUses* found) {
           return found && search(first.where, *found);
         });
  return result;
}

/// The function in whose text the lambda is, or the lambda of host code.
static const clang::FunctionDecl* homeOf(const clang::FunctionDecl& lambda) {
  const clang::DeclContext* scope = &lambda;
  for (; scope; scope = scope->getParent()) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(scope);
    if (function && !isDeviceLambda(*function))
      return function->getCanonicalDecl();
  }
  return nullptr;
}

std::optional<CallSite> CallGraph::findStrayLambda(const clang::FunctionDecl& kernel,
                                                   const FunctionUses& root) {
  std::set<const clang::FunctionDecl*> reached = {kernel.getCanonicalDecl()};
  std::vector<CallSite> lambdas;
  walk(root.calls,
       [&](const CallSite& first, const clang::FunctionDecl& function, const FunctionUses*) {
         reached.insert(function.getCanonicalDecl());
         if (isDeviceLambda(function))
           lambdas.push_back({&function, first.where});
         return false;
       });
  for (const CallSite& lambda : lambdas)
    if (!reached.count(homeOf(*lambda.callee)))
      return lambda;
  return std::nullopt;
}

std::optional<CallSite> CallGraph::findInvisible(const FunctionUses& root) {
  std::optional<CallSite> result;
  walk(
      root.calls,
      [&](const CallSite& first, const clang::FunctionDecl& function, const FunctionUses* found) {
        if (found || !isInvisible(function))
          return false;
        result = CallSite{&function, first.where};
        return true;
      },
      kInvisible);
  return result;
}

std::optional<clang::SourceLocation> CallGraph::findError(const clang::FunctionDecl& function,
                                                          const FunctionUses& uses) {
  if (errors_.empty())
    return std::nullopt;
  std::optional<clang::SourceLocation> result = errors_.in(function);
  if (!result)
    walk(uses.calls, [&](const CallSite&, const clang::FunctionDecl& callee, const FunctionUses*) {
      // What an error kept Clang from instantiating has no body, its template has.
      const clang::FunctionDecl* const definition = definitionOf(callee);
      result = errors_.in(definition ? *definition : callee);
      if (!result && callee.isInvalidDecl())
        result = callee.getLocation();
      return result.has_value();
    });
  return result;
}

void CallGraph::addCounts(const FunctionUses& root, FunctionUses& total) {
  walk(root.calls, [&](const CallSite&, const clang::FunctionDecl&, const FunctionUses* found) {
    if (!found)
      return false;
    total.blockBarriers += found->blockBarriers;
    total.warpPrimitives += found->warpPrimitives;
    total.tilePrimitives += found->tilePrimitives;
    total.tileLanes = std::max(total.tileLanes, found->tileLanes);
    total.atomics += found->atomics;
    total.loops |= found->loops;
    total.readLoops |= found->readLoops;
    total.writtenLoops |= found->writtenLoops;
    total.rereads |= found->rereads;
    total.staticShared |= found->staticShared;
    total.dynamicShared |= found->dynamicShared;
    total.dynamicAlignment = std::max(total.dynamicAlignment, found->dynamicAlignment);
    total.staticSharedBytes += found->staticSharedBytes;
    total.staticMbarriers += found->staticMbarriers;
    return false;
  });
}

} // namespace gpusched::passes
