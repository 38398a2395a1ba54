// FunctionUses.h - what one function body does that matters to a logical block.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   Stmt -> BodyUses (this function only) -> CallGraph (with callees) -> refusals and facts
//
// Locations are Clang's because the facts live no longer than the AST.
#pragma once

#include "passes/analysis/MbarrierUses.h"
#include "passes/analysis/OtherNames.h"
#include "passes/analysis/WaitedPlace.h"

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceLocation.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gpusched::passes {

/// What a device function that has no body of interest (an intrinsic) does, by its name.
enum class Intrinsic { None, BlockBarrier, CountingBarrier, WarpPrimitive, Atomic };
Intrinsic intrinsicOf(const clang::FunctionDecl& function);

/// One fact with its place.
struct UseSite {
  clang::SourceLocation where;
  std::string what;
  explicit operator bool() const { return where.isValid(); }
};

/// Of several sites the first stays.
inline void note(UseSite& site, clang::SourceLocation where, llvm::StringRef what) {
  if (!site)
    site = {where, what.str()};
}

struct CallSite {
  const clang::FunctionDecl* callee = nullptr;
  clang::SourceLocation where;
  bool indirect = false;                 ///< one of several that a pointer or an object may lead to
  const clang::CallExpr* call = nullptr; ///< where the text calls it with arguments
  bool inWholeWarp = false;              ///< all lanes are there, see WholeWarps.h
};

/// A call whose callee the text does not name.
struct IndirectCall {
  const clang::CXXMethodDecl* method = nullptr;  ///< the virtual function; null for a pointer
  clang::QualType type;                          ///< of the function that a pointer points to
  const clang::ParmVarDecl* parameter = nullptr; ///< what is called, if it is a parameter
  UseSite site;
};

/// A call of a member function, from where the caller's parameters are in sight: by name, of a call
/// operator, or of a constructor with a list of arguments.
struct MethodCallSite {
  const clang::FunctionDecl* callee = nullptr;
  /// In the call. Of a call operator: the last token of the object. Of a constructor: the end of
  /// its list.
  clang::SourceLocation name;
  clang::SourceLocation beforeParen; ///< of the last token before the arguments, or as `name`
  clang::SourceLocation object;      ///< where that of a call operator begins
};

/// A call with a namespace in front: ns::f(a).
struct QualifiedCall {
  const clang::FunctionDecl* callee = nullptr;
  clang::SourceRange qualifier; ///< to the beginning of the name
};

/// A call of sync() on a cooperative group or a barrier in assembly, and whether that is the whole
/// block and its text can be replaced.
struct GroupSync {
  clang::SourceRange range;
  bool isBlock = false;
  bool isAligned = false; ///< all lanes of a warp come to it together, as to __syncthreads()
};

/// What a cooperative group says about the block's place in the grid: text that has to become
/// another.
struct GroupIndex {
  clang::SourceRange range;
  const char* becomes = nullptr;
};

/// A primitive of a cooperative group that LaneGroups can be told of.
struct GroupPrimitive {
  clang::SourceRange group; ///< `tile` in tile.any(x) and cg::reduce(tile, x, plus)
  clang::SourceRange call;  ///< of a function; invalid for a member
};

/// The set of lanes that a function takes down at one place, to name them later:
/// coalesced_threads(), or a variable that is set by __activemask(), __ballot_sync() or
/// __match_any_sync().
struct FormedLanes {
  const clang::CallExpr* call = nullptr;
  const clang::VarDecl* mask = nullptr; ///< null for a group
  unsigned places = 0;                  ///< with more than one, nobody knows which lanes are meant
  explicit operator bool() const { return places == 1; }
};

/// A warp primitive whose mask is a local variable or a parameter.
struct VariableMask {
  const clang::VarDecl* mask = nullptr;
  UseSite site;
  bool replaceable = false;
};

/// Own uses of one function; the first site of each kind.
struct FunctionUses {
  UseSite blockIndex;       ///< blockIdx or gridDim, unqualified
  UseSite globalBlockIndex; ///< ::blockIdx or ::gridDim
  UseSite hiddenBlockIndex; ///< inside a local class or a captureless lambda
  UseSite hiddenBarrier;    ///< __syncthreads there, or qualified: cannot be replaced
  UseSite plainBarrier;     ///< __syncthreads()
  UseSite countingBarrier;  ///< __syncthreads_count() or its like, where it can be replaced
  UseSite opaqueBarrier;    ///< any other wait of the whole block, asm included
  UseSite warpPrimitive;    ///< one that names lanes that may be gone
  UseSite toldPrimitive;    ///< one of those, outside of libraries: twins tell who has left
  UseSite libraryPrimitive; ///< one of those, in a file of a library: there they cannot
  UseSite maskedPrimitive;  ///< one of those whose mask is not the whole warp
  UseSite opaquePrimitive;  ///< one of those that cannot be replaced
  UseSite hiddenPrimitive;  ///< one where a parameter of its name would be seen and not allowed
  UseSite groupPrimitive;   ///< one over lanes that were there when `lanes` was formed
  UseSite tellableGroup;    ///< one of those, of a group that is no tile, that can be replaced
  UseSite opaqueGroup;      ///< one of those that cannot be replaced
  UseSite threadDependence; ///< result may differ between threads with the same arguments
  UseSite assembly;         ///< asm text that refuses the kernel
  UseSite indexAssembly;    ///< asm text that reads the block's index: an outlined body cannot
  UseSite mbarrier;         ///< one begins or ends here, and a twin can be told; see `mbarriers`
  UseSite barrierObject;    ///< one of those that it cannot be told of
  UseSite asyncCopy;        ///< may be on its way when the function returns
  UseSite bulkCopy;         ///< the same, by the async proxy
  UseSite staticVariable;   ///< one that keeps its value, and is not shared memory
  UseSite lostConst;        ///< a cast that makes a class, or something in place, no longer const
  UseSite gridSync;         ///< a wait for blocks that may not have begun
  UseSite cluster;
  UseSite kernelLaunch;
  UseSite indirectCall; ///< one that may lead anywhere, see CallGraph::resolve
  UseSite mentionOfItself;
  unsigned blockBarriers = 0, warpPrimitives = 0, atomics = 0;
  unsigned tilePrimitives = 0; ///< those of `warpPrimitives` that name the lanes of a tile
  unsigned tileLanes = 0;      ///< of the largest of these tiles
  bool loops = false;          ///< any loop, `goto` or branch in assembly
  bool readLoops = false, writtenLoops = false; ///< such that end as LoopEnd says
  bool rereads = false; ///< something makes the compiler read memory anew: volatile, asm, fences
  bool staticShared = false, dynamicShared = false;
  uint64_t dynamicAlignment = 0; ///< of the most aligned dynamic shared array, in bytes
  uint64_t staticSharedBytes = 0, staticMbarriers = 0;
  std::vector<CallSite> calls;
  /// Those of `calls` that are not in the control flow which is searched for exits and waits: of
  /// destructors, allocation, default arguments and what a binding asks for.
  std::vector<CallSite> unseenCalls;
  std::vector<IndirectCall> indirectCalls;
  std::set<ForeignWord> givenWaits; ///< for words that the arguments name, see CallGraph::uses
  std::vector<MethodCallSite> methodCalls; ///< those of `calls` that can be given more arguments
  std::vector<GroupSync> groupSyncs;
  std::vector<QualifiedCall> qualifiedCalls;
  std::vector<GroupIndex> groupIndices;
  std::vector<GroupPrimitive> groupPrimitives;
  std::vector<MbarrierUse> mbarriers;
  /// Functions mentioned otherwise than by a call, or where a parameter of the function is not in
  /// sight.
  std::vector<const clang::FunctionDecl*> oddMentions;
  /// Those in operands that are not evaluated.
  std::vector<const clang::FunctionDecl*> typeMentions;
  /// Calls with explicit template arguments; `where` is the `<`.
  std::vector<CallSite> explicitCalls;
  /// Warp primitives that a parameter of the same name can replace, see LaneDrain.cuh; and counting
  /// barriers, see CountingBarriers.cuh.
  std::set<std::string> primitives, counts;
  FormedLanes lanes;
  /// Sorted into the kinds above when the whole function has been seen.
  std::vector<VariableMask> variableMasks;
  Names otherNames; ///< declared in the function, or meaning there something else than a function
};

/// Walks one body, templates already instantiated. `self` is the function it belongs to.
FunctionUses usesOf(const clang::FunctionDecl& self, const clang::Stmt& body);

} // namespace gpusched::passes
