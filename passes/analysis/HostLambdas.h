// HostLambdas.h - extended lambdas, which stand in host code and run in kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   [=] __device__ (int n) { a[blockIdx.x] = n; }
//   [=] __device__ (int n, const ::uint3 blockIdx = ::blockIdx, ...) { a[blockIdx.x] = n; }
//
// A closure cannot get a second call operator, so its own one gets the built-ins behind its
// parameters, with defaults for those who do not pass any. Its parameters are part of the symbols
// of kernels over it, and lambdas of one function are numbered among those with the same ones: the
// AST is given the new ones before anything is mangled.
#pragma once

#include "passes/analysis/KernelInfo.h"
#include "passes/analysis/MacroUses.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>
#include <vector>

namespace gpusched::passes {

/// Is it the call operator of a lambda that no device function holds?
bool isHostLambda(const clang::FunctionDecl& function);

/// Why the operator cannot be given more parameters; null where it can.
const char* lambdaObstacle(const clang::CXXMethodDecl& operation);

/// Fills `text`, or says why this form is not taken. A list of parameters that is left out begins
/// and ends at the body. The lambda may be an argument of a macro that makes no string of it.
std::optional<Refusal> readLambda(const clang::CXXMethodDecl& operation, const SourceTokens& tokens,
                                  const MacroUses& macros, KernelText& text);

/// Calls `visit` on each closure of the lambda's text, one for each instantiation of the functions
/// around it.
void eachClosure(const clang::CXXMethodDecl& operation,
                 llvm::function_ref<void(const clang::CXXMethodDecl&)> visit);

/// Gives the closures of those of the functions that are lambdas their new parameters in the AST.
/// Returns whether there were any. REQUIRES: what they are given is final.
bool retypeLambdas(clang::ASTContext& context,
                   const std::vector<std::unique_ptr<VirtualFunction>>& functions);

} // namespace gpusched::passes
