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

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace gpusched::passes {

/// Is it the call operator of a lambda that no device function holds?
bool isHostLambda(const clang::FunctionDecl& function);

/// Where it is written, also as an argument of a macro; invalid for what a macro's body says.
clang::SourceLocation writtenAt(const clang::SourceManager& sources,
                                clang::SourceLocation location);

/// Fills `text`, or says why this form is not taken. A list of parameters that is left out begins
/// and ends at the body. The lambda may be an argument of a macro that makes no string of it.
std::optional<Refusal> readLambda(const clang::CXXMethodDecl& operation, const SourceTokens& tokens,
                                  const MacroUses& macros, KernelText& text);

/// What one parse tells of lambdas; each body is looked at once.
class HostLambdas {
public:
  using Operations = std::vector<const clang::CXXMethodDecl*>;

  /// Why the operator cannot be given more parameters; null where it can.
  const char* obstacle(const clang::CXXMethodDecl& operation);

  /// The operators of the closures of the lambda's text, one for each instantiation of the
  /// functions around it. The first stands for all.
  const Operations& closures(const clang::CXXMethodDecl& operation);

private:
  using ByPlace = std::map<clang::SourceLocation, Operations>;

  /// All lambdas of the function that holds this one.
  ByPlace& lambdasBeside(const clang::CXXMethodDecl& operation);
  const char* findObstacle(const clang::CXXMethodDecl& operation);
  bool isRepeated(const clang::CXXMethodDecl& operation);
  bool isNamed(const clang::CXXRecordDecl& closure);

  std::map<const clang::FunctionDecl*, ByPlace> byHolder_;
  std::map<const clang::FunctionDecl*, const char*> obstacles_; ///< by the first closure
  std::optional<std::set<const clang::CXXRecordDecl*>> pointedInto_;
};

/// Gives the closures of those of the functions that are lambdas their new parameters in the AST.
/// Returns whether there were any. REQUIRES: what they are given is final.
bool retypeLambdas(clang::ASTContext& context,
                   const std::vector<std::unique_ptr<VirtualFunction>>& functions);

} // namespace gpusched::passes
