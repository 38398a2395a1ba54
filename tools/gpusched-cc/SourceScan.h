// SourceScan.h - does a file hold CUDA, told from its text in well under a millisecond.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that mentions neither a kernel nor a launch needs no parse and no header of ours. The
// scan skips comments and strings, ignores preprocessor conditions and follows #include into the
// user's own folders, so it errs on the side of saying yes: a wrong yes costs time, nothing else.
#pragma once

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
  bool kernel = false, launch = false;
  std::vector<std::string> quotedIncludes, angledIncludes;
};
SourceMentions scanText(const std::string& text);

class SourceScan {
public:
  /// `includeFolders`: the user's -I and -isystem folders.
  explicit SourceScan(std::vector<std::string> includeFolders)
      : includeFolders_(std::move(includeFolders)) {}

  CudaUse scan(const std::string& path);

private:
  void visit(const std::string& path, CudaUse& use);
  void follow(const SourceMentions& mentions, const std::string& folder, CudaUse& use);

  std::vector<std::string> includeFolders_;
  std::set<std::string> visited_;
};

} // namespace gpusched::cc
