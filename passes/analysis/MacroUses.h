// MacroUses.h - where a parse expanded macros of the user, and what they stand for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorded by callbacks of the preprocessor, for uses in files of the user of macros that are the
// user's own: `__global__` and `__launch_bounds__` are the toolkit's and of no interest.
#pragma once

#include "clang/Basic/SourceLocation.h"

#include <map>
#include <string>

namespace clang {
class MacroInfo;
class Preprocessor;
class SourceManager;
} // namespace clang

namespace gpusched::passes {

struct MacroUse {
  std::string name;
  std::size_t end = 0; ///< past the name, or past the parenthesis behind the arguments
  const clang::MacroInfo* macro = nullptr;
};
using MacroUsesByOffset = std::map<std::size_t, MacroUse>;

class MacroUses {
public:
  /// From now on every use is recorded. REQUIRES: this and `preprocessor` outlive the parse.
  void record(clang::Preprocessor& preprocessor);

  /// The uses that are written in this inclusion of a file, by where they begin.
  const MacroUsesByOffset& in(clang::FileID file) const;

private:
  friend class MacroRecorder;
  const clang::SourceManager* sources_ = nullptr;
  std::map<clang::FileID, MacroUsesByOffset> uses_;
};

} // namespace gpusched::passes
