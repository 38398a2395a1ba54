// Dependencies.h - makes a dependency file name the user's files instead of ours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc wrote it while compiling the rewritten copy with our header included. The copy becomes the
// original, our headers go away, "./h.h" becomes "h.h" again; all else keeps its place.
#pragma once

#include "rt/support/Result.h"

#include <string>

namespace gpusched::cc {

struct DependencyNames {
  std::string copy, original;         ///< the rewritten file and the user's name for it
  std::string injectedFolder;         ///< all headers below it are ours
  std::string linkedFolder, linkedTo; ///< a link to the sources in the private folder, or empty
};

/// The text of a dependency file with its names put right; exposed for its unit test.
std::string fixedDependencies(const std::string& text, const DependencyNames& names);

/// Rewrites the file in place. A missing file is no error: nvcc did not write one.
Status fixDependencies(const std::string& path, const DependencyNames& names);

} // namespace gpusched::cc
