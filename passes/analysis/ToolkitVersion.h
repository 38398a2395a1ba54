// ToolkitVersion.h - which CUDA a toolkit is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc tells every file its version (`__CUDACC_VER_MAJOR__`), and CUDA's own headers choose by it.
// A parse that said another one would judge declarations that nvcc never compiles.
#pragma once

#include <string>

namespace gpusched::passes {

struct ToolkitVersion {
  unsigned major = 0, minor = 0; ///< 13, 0; zeros where no version can be read
};

/// Of the toolkit with this `include/cuda.h`, of which it reads as far as CUDA_VERSION.
ToolkitVersion toolkitVersion(const std::string& root);

} // namespace gpusched::passes
