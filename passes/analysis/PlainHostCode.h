// PlainHostCode.h - host code that asks CUDA nothing, and so cannot tell when a launch was made.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   n / 256 + offset[i]   dim3(n)   make_float4(x, y, z, w)   buffer.data()          plain
//   cudaGetLastError()    size() of another file     while (*flag == 0);             not
//
// Arithmetic, variables, members, elements; calls of functions whose text is here and is plain,
// and of functions of libraries that compute a value. No launch, no loop, which could wait for what
// a kernel writes; no virtual call, nothing that is allocated, thrown, or destroyed by a destructor
// that does something.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"

#include <map>

namespace gpusched::passes {

class PlainHostCode {
public:
  explicit PlainHostCode(const clang::SourceManager& sources) : sources_(sources) {}

  /// May be evaluated, or executed, with a launch in front that has not been made.
  bool isPlain(const clang::Stmt& statement);

private:
  bool isPlain(const clang::FunctionDecl& function);
  bool isPlain(const clang::DeclStmt& declaration);
  bool isPlain(const clang::CXXConstructExpr& made);
  bool hasPlainText(const clang::FunctionDecl& function);
  bool isOfLibrary(const clang::FunctionDecl& function) const;

  const clang::SourceManager& sources_;
  std::map<const clang::FunctionDecl*, bool> functions_; ///< recursion is not plain
};

} // namespace gpusched::passes
