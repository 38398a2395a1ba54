// ErrorPlaces.h - which functions Clang reported errors in.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One macro can hold a hundred errors, and hundreds of kernels can reach the same functions: places
// are kept once and in order, and each function is asked about once. Not thread-safe.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace gpusched::passes {

class ErrorPlaces {
public:
  ErrorPlaces(clang::SourceManager& sources, const std::vector<clang::SourceLocation>& errors);

  bool empty() const { return places_.empty(); }

  /// The first one in the text of the function, or of what it is an instantiation of.
  std::optional<clang::SourceLocation> in(const clang::FunctionDecl& function);

private:
  std::optional<clang::SourceLocation> find(const clang::FunctionDecl& function) const;

  clang::SourceManager& sources_;
  std::vector<clang::SourceLocation> places_; ///< where macros are expanded, in order
  llvm::DenseMap<const clang::FunctionDecl*, std::optional<clang::SourceLocation>> known_;
};

} // namespace gpusched::passes
