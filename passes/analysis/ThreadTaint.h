// ThreadTaint.h - which conditions of a function are visibly computed from threadIdx.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The opposite of Uniformity: a value counts only if a chain of initialisers, assignments and
// arguments leads to it from threadIdx. For callees, where little can be shown to be uniform.
// Does not see: values that come back through memory, members, references and results of calls.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

#include <set>

namespace gpusched::passes {

class ThreadTaint {
public:
  /// `parameters`: those that the caller gives such a value.
  ThreadTaint(const clang::FunctionDecl& function, std::set<const clang::ValueDecl*> parameters);

  bool of(const clang::Stmt& expression) const;

private:
  std::set<const clang::ValueDecl*> tainted_;
};

} // namespace gpusched::passes
