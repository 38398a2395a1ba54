// ParameterUses.h - what a kernel's body does with its parameters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   __global__ void k(Shape shape) { out[shape.strides[blockIdx.x % 4]] = 0; }
//   void k__gs_body(..., Shape &shape) { ... }
//
// A class that is handed to the body by value is a copy, and one that is indexed by a variable
// stays one: in local memory, a word at a time, where the kernel reads the constant bank. By
// reference there is no copy; the twin makes one for each block if the body may change it.
#pragma once

#include "passes/analysis/KernelInfo.h"

#include "clang/AST/Decl.h"

#include <set>

namespace gpusched::passes {

/// Notes the parameters that can be references: their names stand in no constant expression, in
/// none that is asked for its type, and no macro of the text's makes one.
/// REQUIRES: the kernel as it is written, with its body in `text`.
void noteReferable(const clang::FunctionDecl& written, const SourceTokens& tokens,
                   KernelText& text);

/// The parameters whose values the instantiation's body may change. It does not where each mention
/// is read, bound as const, which is believed, or given to a function that does no more.
std::set<const clang::ParmVarDecl*> changedParameters(const clang::FunctionDecl& instance);

/// Is a class, or a part of one, reached by a cast that takes its const away?
bool losesConst(const clang::Expr& cast);

} // namespace gpusched::passes
