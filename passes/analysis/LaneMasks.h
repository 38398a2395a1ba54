// LaneMasks.h - which lanes a warp primitive names where its mask is a parameter.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   __device__ T sum(unsigned mask, T v) { ... __shfl_down_sync(mask, v, 1) ... }
//   sum(0xffffffff, v)                        // the whole warp
//   mask = __ballot_sync(~0u, i < n); ... sum(mask, v)    // those whom the caller took down
//
// Sound because: the parameter is never changed and is the only mask in the function and below, so
// every primitive behind the call names what the argument says.
#pragma once

#include "passes/analysis/CallGraph.h"

namespace gpusched::passes {

/// What the warp primitives behind a call name.
enum class NamedLanes {
  Any,
  WholeWarp, ///< and those of them that are the program's own can be replaced
  Formed     ///< what the caller's variable or group holds
};

/// `formed`: of the caller. Any for a call without warp primitives.
NamedLanes lanesNamedBehind(const CallSite& call, const clang::FunctionDecl& caller,
                            const FormedLanes& formed, CallGraph& calls);

/// Is a mask of `function` all lanes: a constant, or a variable that only ever holds it?
bool namesWholeWarp(const clang::Expr& mask, const clang::FunctionDecl& function);

} // namespace gpusched::passes
