// HostMacros.h - lets files of the user see the macros that nvcc's host compiler predefines.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc has every file preprocessed by the host compiler, so `#ifdef __clang__` and
// `__GNUC__ >= 9` are decided by g++, not by the Clang that parses here. Were they decided
// otherwise, the analysis would judge a text that nvcc never compiles.
//
//   before   system headers and files of the user see Clang's macros
//   after    system headers see Clang's, since they hold what only Clang takes; others the host's,
//            also behind a `#pragma GCC system_header` in their middle
//
// The two sets are exchanged whenever the preprocessor goes from one kind of file to the other;
// macros that a file defines itself stay. What is asked by __has_builtin and __has_attribute is
// still answered by Clang.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace clang {
class Preprocessor;
}

namespace gpusched::passes {

class HostMacros {
public:
  /// `listing`: what `g++ -dM -E` prints; empty: all files see Clang's. `given`: names that the
  /// user's -D and -U are about, which are the same everywhere.
  HostMacros(const std::string& listing, const std::vector<std::string>& given);

  bool empty() const { return names_.empty(); }

  /// A header that holds them under other names, to be included first, and a path that stands for
  /// this text alone.
  const std::string& path() const { return path_; }
  const std::string& header() const { return header_; }

  /// From now on files of the user see them. REQUIRES: `preprocessor` has not begun.
  void record(clang::Preprocessor& preprocessor) const;

private:
  void read(llvm::StringRef line);

  std::vector<std::string> names_; ///< of the host compiler
  std::vector<std::string> given_;
  std::string header_, path_;
};

} // namespace gpusched::passes
