// NvccLocation.h - finds the real nvcc and its toolkit.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order: --gpusched-nvcc or $GPUSCHED_NVCC, $CUDA_HOME/bin/nvcc, PATH, the one found when
// gpusched was configured. gpusched-cc itself may stand in PATH under the name nvcc: whatever is
// the same file (device and inode) as this program is skipped.
#pragma once

#include "rt/support/Result.h"

#include <string>

namespace gpusched::cc {

/// True when `path` is an executable file with nvcc in its name: gpusched-cc runs as its launcher.
bool looksLikeNvcc(const std::string& path);

/// `chosen` is the value of --gpusched-nvcc, possibly empty. An error says where was looked.
Result<std::string> findNvcc(const std::string& chosen);

/// The toolkit folder of `nvcc` (the one that holds include/), or "" when it cannot be told.
std::string toolkitOf(const std::string& nvcc);

} // namespace gpusched::cc
