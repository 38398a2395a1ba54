// RedirectIncludes.h - makes rewritten copies find each other, and everything else as before.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   src/main.cu   #include "k.cuh"      ->  FOLDER/main.cu           #include "gpusched-1-k.cuh"
//   src/k.cuh     #include "detail.h"   ->  FOLDER/gpusched-1-k.cuh  #include "detail.h"
//
// All copies lie in one folder, whose names nobody uses by accident. A file that is not rewritten
// keeps its name as the user knows it (__FILE__, messages, debuggers): its directive is left alone
// where -iquote of the original folders makes it mean the same file, and gets an absolute path
// where those folders would lead astray or cannot be named on nvcc's command line.
#pragma once

#include "passes/analysis/SourceFile.h"
#include "passes/edit/EditSet.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gpusched::passes {

/// A directive in a file that is not rewritten, whose name is searched for in folders.
struct QuoteSearch {
  std::string spelling;
  std::string target; ///< absolute
};

struct Overlay {
  std::vector<bool> rewritten;           ///< by file number
  std::vector<std::string> quoteFolders; ///< for -iquote, in this order, in front of the user's
  /// Headers that the compiler finds by another name than before, and that name.
  std::map<std::string, std::string> renamed;
};

/// Adds to `edits` (by file number) those of the directives. `exists` asks the file system.
Overlay redirectIncludes(const std::vector<std::unique_ptr<SourceFile>>& files,
                         const std::vector<QuoteSearch>& elsewhere, std::vector<EditSet>& edits,
                         const std::function<bool(const std::string&)>& exists);

/// "gpusched-1-k.cuh"; the main file keeps its name, because nvcc names things after it.
std::string copyName(const SourceFile& file, std::size_t number);

} // namespace gpusched::passes
