// Rewrite.h - transforms the CUDA files of a command into copies for nvcc.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each file is parsed on a thread of its own (the transform is reentrant); the copy goes to the
// private folder under the original's name, because nvcc names things after it, and copies of the
// headers that hold kernels beside it.
#pragma once

#include "passes/Transform.h"
#include "tools/gpusched-cc/OwnOptions.h"
#include "tools/gpusched-cc/Steps.h"

#include <set>
#include <string>
#include <vector>

namespace gpusched::cc {

/// What nvcc said of earlier forms of a file.
struct Corrections {
  std::vector<passes::Rejection> rejections; ///< kernels that these are of stay native
  std::set<std::string> outlined;            ///< symbols of twins that could not be spliced
};

struct Rewrite {
  passes::TransformResult result;
  std::string copy; ///< path of the rewritten file; empty = nvcc compiles the original
  std::vector<std::pair<std::string, std::string>> headers; ///< copy, the user's name for it
  Corrections corrections; ///< that the transform took into account
  std::string trouble;     ///< why there is no copy although there should be one
  double seconds = 0;
};

/// One result per planned file.
std::vector<Rewrite> rewriteFiles(const StepContext& context, const OwnOptions& own);

/// The file at `index` again.
Rewrite rewriteAgain(const StepContext& context, const OwnOptions& own, size_t index,
                     Corrections corrections);

} // namespace gpusched::cc
