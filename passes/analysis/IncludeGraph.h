// IncludeGraph.h - which directive of a parse included which file, and what was left out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorded by callbacks of the preprocessor, so it knows what macros, search paths and guards made
// of each directive. Directives that a guard skipped are in it, those in a region that the
// preprocessor skipped are not; `find` asks Clang's header search about those.
#pragma once

#include "passes/analysis/SeenTexts.h"

#include "clang/Basic/FileEntry.h"
#include "clang/Basic/SourceLocation.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class HeaderSearch;
class Preprocessor;
class SourceManager;
} // namespace clang

namespace gpusched::passes {

struct RecordedInclude {
  clang::FileID includer;
  unsigned offset = 0; ///< of the # in the includer
  std::string spelling;
  bool angled = false;
  bool beside = false; ///< found in the includer's folder
  clang::OptionalFileEntryRef target;
  clang::FileID entered; ///< invalid when a guard skipped it
};

class IncludeGraph {
public:
  /// From now on every directive of `preprocessor` is recorded. The graph must outlive the parse.
  void record(clang::Preprocessor& preprocessor);

  const std::vector<RecordedInclude>& all() const { return includes_; }
  const std::vector<SkippedRegion>& skippedIn(clang::FileID file) const;
  /// The directive that made this inclusion; null for the main file and Clang's own buffers.
  const RecordedInclude* causeOf(clang::FileID file) const;
  /// The directive at this place, if it was executed.
  const RecordedInclude* at(clang::FileID includer, unsigned offset) const;
  /// What a directive names that was not executed.
  clang::OptionalFileEntryRef find(const std::string& spelling, bool angled, clang::FileID includer,
                                   bool& beside) const;

private:
  friend class IncludeRecorder;
  const clang::SourceManager* sources_ = nullptr;
  clang::HeaderSearch* search_ = nullptr;
  std::vector<RecordedInclude> includes_;
  std::map<clang::FileID, std::size_t> causes_;
  std::map<clang::FileID, std::vector<SkippedRegion>> skipped_;
  std::map<std::pair<clang::FileID, unsigned>, std::size_t> places_;
};

} // namespace gpusched::passes
