// SourceScan.h - does a file hold CUDA, told from its text in well under a millisecond.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that mentions neither a kernel nor a launch needs no parse and no header of ours. The
// scan skips comments and strings, ignores preprocessor conditions and follows #include and
// -include into the user's own folders, and takes `#include MACRO` for a kernel, so it errs on the
// side of saying yes: a wrong yes costs time, nothing else.
#pragma once

#include "tools/gpusched-cc/ParseArguments.h"

#include <set>
#include <string>
#include <vector>

namespace gpusched::cc {

/// What a source file needs from us.
enum class CudaUse {
  None,     ///< plain nvcc
  Launches, ///< the launch header: it starts kernels, here or through a library
  Kernels,  ///< the transform as well: it, or a header of the user's, mentions __global__
};

/// What one text mentions; exposed for its unit test.
struct SourceMentions {
  bool kernel = false, launch = false, computedInclude = false;
  std::vector<std::string> quotedIncludes, angledIncludes;
};
SourceMentions scanText(const std::string& text);

class SourceScan {
public:
  explicit SourceScan(TextSources sources) : sources_(std::move(sources)) {}

  CudaUse scan(const std::string& path);

private:
  void visit(const std::string& path, CudaUse& use);
  void follow(const SourceMentions& mentions, const std::string& folder, CudaUse& use);

  TextSources sources_;
  std::set<std::string> visited_;
};

} // namespace gpusched::cc
