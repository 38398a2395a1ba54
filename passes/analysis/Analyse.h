// Analyse.h - from a request to the facts of its file, in as many parses as that takes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   texts -> parse for each pass of the compiler -> facts
//     ^                          |
//     +-- macros written out, words added that Clang misses
#pragma once

#include "passes/analysis/KernelInfo.h"
#include "passes/analysis/MissingWords.h"
#include "passes/analysis/Parse.h"

#include <map>
#include <string>
#include <vector>

namespace gpusched::passes {

/// The texts that are parsed: the files, but for what was changed so that they can be analysed.
struct Sources {
  std::string main;
  Texts headers;                           ///< those that were changed
  std::map<std::string, AddedWords> words; ///< by textKey

  static Sources of(const TransformRequest& request);

  /// Writes macros out where the analysis asks for it (UnfoldMacros.h). False: nothing to do.
  bool unfold(const FileInfo& unit);
  /// Adds words that Clang misses (MissingWords.h). False: nothing to do.
  bool addWords(const FileInfo& unit);
  /// Adds to the edits of a file those that take its words out again.
  void takeOutWords(const SourceFile& file, EditSet& edits) const;
};

/// The facts of the request's file, with the names that the user knows; `sources` and `diagnostics`
/// get what the last parse was of and said.
FileInfo analyse(const TransformRequest& request, Sources& sources,
                 std::vector<std::string>& diagnostics);

} // namespace gpusched::passes
