// BuiltinVariables.h - threadIdx, blockIdx, blockDim and gridDim in the AST.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parse declares them with nvcc's types, see compat/shim/__clang_cuda_math_forward_declares.h.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace gpusched::passes {

bool isBuiltinVariable(const clang::ValueDecl& variable);

/// blockIdx for blockIdx.x; null for a member of anything else.
const clang::ValueDecl* builtinOf(const clang::MemberExpr& member);

} // namespace gpusched::passes
