// WholeWarps.h - code that runs only where all lanes of a warp are there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   if (__activemask() == 0xffffffff) return loadByShuffles(p); else return *p;
//
// A lane that has left is in no active mask: behind the question nobody waits for one, in the
// kernel and in its twin, and what is asked there need not be told who has left.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace gpusched::passes {

/// Does only a whole warp go into the first branch? The question may be a function's, too. The
/// branch is one call, perhaps returned, so that nobody leaves in it before.
bool isForWholeWarps(const clang::IfStmt& choice, const clang::FunctionDecl& function);

/// Does everybody who comes into the function stay until it ends?
bool endsForAll(const clang::FunctionDecl& definition);

} // namespace gpusched::passes
