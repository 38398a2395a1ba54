// MbarrierUses.h - where a body begins or ends an mbarrier, and which operand says which.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   init(&bar, n)  cuda::ptx::mbarrier_init(&word, n)  asm("mbarrier.init.shared.b64 [%0], ...")
//   bar.~barrier() __mbarrier_inval(&word)             asm("mbarrier.inval.shared.b64 [%0];")
//
// A twin ends them all behind each logical block, so it has to be told: the operand is handed
// through a member of MbarrierNotes (rt/include/gpusched/device/Mbarriers.cuh).
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

#include <optional>

namespace gpusched::passes {

/// An expression in the text, and the member of MbarrierNotes that it has to pass.
struct MbarrierUse {
  clang::SourceRange operand;
  const char* member = nullptr; ///< null: the form cannot be told
};

/// Does the call begin or end an mbarrier?
std::optional<MbarrierUse> mbarrierUse(const clang::CallExpr& call,
                                       const clang::FunctionDecl& callee);

/// Does the assembly?
std::optional<MbarrierUse> mbarrierUse(const clang::GCCAsmStmt& assembly);

/// A function of libcu++ whose mbarriers end in the block anyway: a pipeline's, when the last
/// thread lets go of it.
bool endsItsMbarriers(const clang::FunctionDecl& function);

/// How many objects of libcu++ that may be mbarriers a variable of the type holds.
uint64_t mbarriersIn(clang::QualType type);

} // namespace gpusched::passes
