// KernelSafety.h - may this function's body run as logical blocks of a persistent kernel?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts and the first reason against, for one function that is not dependent: a plain kernel or
// one instantiation. The order of the checks is the order of Refusals.def.
#pragma once

#include "passes/Transform.h"
#include "passes/analysis/CallGraph.h"
#include "passes/analysis/VirtualFunctions.h"

#include <optional>

namespace gpusched::passes {

struct Judgement {
  KernelFacts facts;
  std::optional<Refusal> refusal;
};

/// Of a twin that is outlined (Forms.h). `text`: of the kernel. Callees that must become function
/// objects are added to `callees`. REQUIRES: the kernel has a body and is not dependent.
Judgement judge(const clang::FunctionDecl& kernel, KernelText& text, CallGraph& calls,
                VirtualFunctions& functions, std::vector<const VirtualFunction*>& callees);

/// Of one that is spliced: no text changes, and nobody has to be told anything.
/// REQUIRES: the same.
Judgement judgeSpliced(const clang::FunctionDecl& kernel, CallGraph& calls);

} // namespace gpusched::passes
