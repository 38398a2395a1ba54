// SharedObjects.h - shared variables of classes with constructors, which nvcc takes and Clang does
// not.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc warns that `__shared__ cuda::barrier<...> b;` is not constructed, and goes on. Clang reports
// an error and forgets the variable. So the text is parsed again with `GPUSCHED_S` in place of that
// `__shared__`, as long a word: a macro of the shim that makes a local variable with a mark.
// Whoever asks for shared variables asks isShared(). Leaves alone: declarations by macros or
// outside of functions; they stay errors.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gpusched::passes {

/// Is it in shared memory, with or without Clang's consent?
bool isShared(const clang::Decl& declared);

/// Is it in shared memory with an initialiser? Nothing runs that.
bool isUnconstructed(const clang::VarDecl& variable);

/// The declarations of one parse that Clang rejects for their constructor.
class SharedObjects {
public:
  /// Takes note of a diagnostic of that kind, ignores others.
  void note(const clang::Diagnostic& diagnostic);

  bool empty() const { return texts_.empty(); }

  /// Puts the respelt files into what stands for files, replacing those of the same path.
  void putInto(std::vector<std::pair<std::string, std::string>>& texts) const;

private:
  std::map<std::string, std::string> texts_; ///< by textKey
};

} // namespace gpusched::passes
