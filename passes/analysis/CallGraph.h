// CallGraph.h - what a kernel does through the functions it calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device functions are looked at once each, when first reached. Recursion is fine: a query visits
// a function at most once. Functions without a visible body are intrinsics when a system header
// declares them, and unknown otherwise.
#pragma once

#include "passes/analysis/ErrorPlaces.h"
#include "passes/analysis/FunctionUses.h"
#include "passes/analysis/IndirectTargets.h"
#include "passes/analysis/ReachedKinds.h"

#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gpusched::passes {

/// A lambda written in device code: the walk over the function around it has seen its body. One
/// of host code that a kernel got as an argument is a callee like any other.
bool isDeviceLambda(const clang::FunctionDecl& function);

/// Is the function one of a system header? All threads are taken to reach the barriers there, and
/// nobody can be told there who has left.
bool isLibraryFunction(const clang::FunctionDecl& function);

/// A use found in a callee: where the kernel calls towards it, which function has it, and where.
struct CalleeUse {
  clang::SourceLocation call;
  const clang::FunctionDecl* function = nullptr;
  UseSite site;
};

class CallGraph {
public:
  /// `errors`: where Clang reported one. `closed`: no other file's device code can be reached.
  CallGraph(clang::ASTContext& context, const std::vector<clang::SourceLocation>& errors,
            bool closed);

  const clang::SourceManager& sources() const { return sources_; }

  /// An error inside the function or inside one that it calls.
  std::optional<clang::SourceLocation> findError(const clang::FunctionDecl& function,
                                                 const FunctionUses& uses);

  /// Adds what the indirect calls of `uses` may lead to; where nobody knows, `indirectCall`.
  void resolve(FunctionUses& uses);
  /// Adds waits of its callees for what `function` gives them.
  void addGivenWaits(const clang::FunctionDecl& function, FunctionUses& own);

  /// Facts of one function, indirect calls resolved and given waits added; null when it has no body
  /// here.
  const FunctionUses* uses(const clang::FunctionDecl& function);

  /// Can no other file's device code be reached?
  bool isClosed() const { return closed_; }

  /// First use of a kind that is reachable through the calls of `root`.
  std::optional<CalleeUse> find(const FunctionUses& root, UseSite FunctionUses::* kind);
  /// The same for one callee, itself included.
  std::optional<CalleeUse> findFrom(const CallSite& call, UseSite FunctionUses::* kind);

  /// Does the function, or one that it calls and that is no lambda of its text?
  bool does(const clang::FunctionDecl& function, UseSite FunctionUses::* kind);

  /// Can the function, or one that it calls, do otherwise for another thread with equal arguments?
  bool asksAboutThread(const clang::FunctionDecl& function);

  /// First reachable function of the user's that waits, and for what, where the search for exits
  /// does not see it called.
  std::optional<CalleeUse> findUnseenWait(const FunctionUses& root);

  /// First call of a lambda that no reachable function makes: what it does was not seen there.
  std::optional<CallSite> findStrayLambda(const clang::FunctionDecl& kernel,
                                          const FunctionUses& root);

  /// First reachable function of the user's that has no body here.
  std::optional<CallSite> findInvisible(const FunctionUses& root);

  /// Adds the counts of every reachable function to `total`.
  void addCounts(const FunctionUses& root, FunctionUses& total);

private:
  using Visitor = std::function<bool(const CallSite& first, const clang::FunctionDecl& function,
                                     const FunctionUses* uses)>;
  /// Depth first over reachable functions until `visit` returns true; where only some kinds of uses
  /// are `wanted`, past functions that reach none of them.
  void walk(const std::vector<CallSite>& calls, const Visitor& visit, Kinds wanted = 0);
  void dropWholeWarps(FunctionUses& own);
  bool onlyAsksLanes(const clang::FunctionDecl& function);
  OwnKinds ownKinds(const clang::FunctionDecl& function);

  const clang::SourceManager& sources_;
  IndirectTargets targets_;
  bool closed_;
  ErrorPlaces errors_;
  /// By canonical declaration; none for a function without a body here.
  std::unordered_map<const clang::FunctionDecl*, std::optional<FunctionUses>> known_;
  ReachedKinds reached_;
  /// What was asked of a function, with the answers.
  template <class Answer>
  using Known = llvm::DenseMap<const clang::FunctionDecl*,
                               std::vector<std::pair<UseSite FunctionUses::*, Answer>>>;
  Known<std::optional<CalleeUse>> foundFrom_;
  Known<bool> does_;
  llvm::DenseMap<const clang::FunctionDecl*, bool> asksAboutThread_;
};

} // namespace gpusched::passes
