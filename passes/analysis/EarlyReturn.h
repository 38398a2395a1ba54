// EarlyReturn.h - can threads leave a kernel while others of their block still wait for them?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the original, a thread that has left no longer counts at barriers, and a lane that has left
// no longer counts in a warp primitive's mask. In the persistent loop it waits at the end of the
// body instead. That matters where one branch leads out without a barrier, another leads to a
// barrier, and the threads of a block do not all take the same branch. `return` itself is not
// special: a guarded body (`if (i < n) { ... __syncthreads(); ... }`) is the same pattern.
//
//   found before __syncthreads() or its like     -> drain barrier, also through callees
//   found before any other wait of the block     -> refuse
//   found within a warp, before a warp primitive -> refuse
//
// Where the answer "drain" is at hand, loads from memory count as different in each thread. Where
// the only other answer is to refuse, the program is taken to be free of data races (Uniformity.h).
#pragma once

#include "passes/analysis/CallGraph.h"

namespace gpusched::passes {

struct EarlyReturnFacts {
  /// Places that the remark names: the branch, and what it leads to.
  struct Finding {
    clang::SourceLocation branch;
    UseSite site;
    explicit operator bool() const { return branch.isValid(); }
  };
  Finding plainBarrier;            ///< __syncthreads() in the body
  Finding calleeBarrier;           ///< __syncthreads() in a function that it calls
  Finding countingBarrier;         ///< __syncthreads_count() or its like, in either
  Finding opaqueBarrier;           ///< any other
  Finding warpPrimitive;           ///< one that names lanes
  Finding maskedPrimitive;         ///< one whose mask is not the whole warp
  Finding opaquePrimitive;         ///< one that cannot be told which lanes have left
  bool needsWholeWarpRows = false; ///< safe only if blockDim.x is a multiple of 32
};

/// `lanes`: the most that a warp primitive of the kernel names together.
/// REQUIRES: the kernel has a body and is not dependent.
EarlyReturnFacts findEarlyReturns(const clang::FunctionDecl& kernel, unsigned lanes,
                                  CallGraph& calls);

/// Can lanes leave the callee between the forming of a coalesced group and its use? Those that were
/// gone before the call are in no group that the callee forms.
bool losesGroupLanes(const clang::FunctionDecl& callee, CallGraph& calls);

} // namespace gpusched::passes
