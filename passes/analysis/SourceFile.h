// SourceFile.h - one text of a translation unit: the main file, or one inclusion of a header.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An inclusion, not a file: a header without a guard that is included twice may hold two different
// kernels (X macros), so each inclusion is a text of its own with edits of its own. A header with a
// guard has one. Number 0 is the main file. No Clang type.
#pragma once

#include "passes/edit/SourceTokens.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpusched::passes {

/// A place that names a file: #include, #include_next, #import or __has_include.
struct IncludeDirective {
  std::size_t keywordBegin = 0, keywordLength = 0; ///< "include"; length 0 for __has_include
  std::size_t nameBegin = 0, nameLength = 0; ///< with its quotes, or the macro that stands for it
  std::string spelling;                      ///< without quotes
  bool angled = false;
  bool next = false;               ///< #include_next
  bool beside = false;             ///< found in the folder of the file that holds the directive
  std::string target;              ///< absolute path of what it names; empty = not found
  std::string name;                ///< what the compiler calls that file
  std::optional<std::size_t> file; ///< number of the SourceFile that it includes
};

class SourceFile {
public:
  SourceFile(std::string name, std::string path, std::string text)
      : name(std::move(name)), path(std::move(path)), text(std::move(text)), tokens(this->text) {}
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;

  const std::string name; ///< as the compiler names it to the user: "src/../common/k.cuh"
  const std::string path; ///< as it can be opened from the compiler's working directory
  const std::string text; ///< the original, not as ClangSpelling gives it to the parse
  SourceTokens tokens;
  std::vector<IncludeDirective> includes;
};

} // namespace gpusched::passes
