// NonLiteralLocals.h - constexpr functions with variables that no constant can be, as nvcc takes
// them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   template <class T> struct Sketch {
//     constexpr int estimate() const { std::vector<T> host; ... }
//   };
//
// Before C++23 such a function is ill-formed; nvcc and GCC do not look into templates. Clang does
// where the variable's type depends on no parameter, and then never instantiates the function, so
// kernels that it launches would not be seen. Here it is given back. Sound because: nothing
// evaluates its body in a constant, neither in nvcc nor in Clang.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

#include <vector>

namespace gpusched::passes {

/// The variables of one parse that Clang rejects for that.
class NonLiteralLocals {
public:
  /// Takes note of a diagnostic of that kind; false: it is another one.
  bool note(const clang::Diagnostic& diagnostic);

  bool empty() const { return places_.empty(); }

  /// Gives back the functions around these variables in what has been read.
  void giveBack(clang::Decl& read);

private:
  void giveBackFunction(clang::FunctionDecl& function);

  std::vector<clang::SourceLocation> places_; ///< of functions not yet given back
};

} // namespace gpusched::passes
