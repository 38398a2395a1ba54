// Dependencies.h - makes a dependency file name the user's files instead of ours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc wrote it while compiling the rewritten copies with our header included. Copies become the
// originals, our headers go away, "./h.h" becomes "h.h" again; all else keeps its place.
#pragma once

#include "rt/support/Result.h"

#include <map>
#include <string>

namespace gpusched::cc {

struct DependencyNames {
  std::string original;                      ///< the user's name for the file that is compiled
  std::map<std::string, std::string> copies; ///< rewritten files: their paths, the user's names
  std::string injectedFolder;                ///< all headers below it are ours
};

/// The text of a dependency file with its names put right; exposed for its unit test.
std::string fixedDependencies(const std::string& text, const DependencyNames& names);

/// Rewrites the file in place. A missing file is no error: nvcc did not write one.
Status fixDependencies(const std::string& path, const DependencyNames& names);

} // namespace gpusched::cc
