// Intrinsics.cpp - what functions of the toolkit do, by their names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only those that a system header declares, or that are built in: a user may have a function of any
// name.
#include "passes/analysis/FunctionUses.h"
#include "passes/analysis/KernelInfo.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"

namespace gpusched::passes {

Intrinsic intrinsicOf(const clang::FunctionDecl& function) {
  const clang::IdentifierInfo* const identifier = function.getIdentifier();
  const clang::SourceManager& sources = function.getASTContext().getSourceManager();
  if (!identifier || !function.getDeclContext()->getRedeclContext()->isFileContext() ||
      !(function.getBuiltinID() ||
        sources.isInSystemHeader(function.getCanonicalDecl()->getLocation())))
    return Intrinsic::None;
  const llvm::StringRef name = identifier->getName();
  if (name == "__syncthreads")
    return Intrinsic::BlockBarrier;
  if (isCountingBarrier(name) || name == "__barrier_sync" || name == "__barrier_sync_count" ||
      name.starts_with("__nvvm_bar") || name.starts_with("__named_barrier"))
    return Intrinsic::CountingBarrier;
  if (name == "__syncwarp" ||
      (name.ends_with("_sync") &&
       (name.starts_with("__shfl") || name.starts_with("__all") || name.starts_with("__any") ||
        name.starts_with("__ballot") || name.starts_with("__match") || name.starts_with("__uni") ||
        name.starts_with("__reduce") || name.contains("load_matrix") ||
        name.contains("store_matrix") || name == "mma_sync")))
    return Intrinsic::WarpPrimitive;
  if (name.starts_with("atomic") || name.starts_with("__nv_atomic"))
    return Intrinsic::Atomic;
  return Intrinsic::None;
}

} // namespace gpusched::passes
