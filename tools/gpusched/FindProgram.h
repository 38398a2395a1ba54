// FindProgram.h - where a program of this machine is, without starting it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gpusched::tool {

/// `name` in PATH; "" when it is not there.
std::string findProgram(const std::string& name);

/// GPUSCHED_NVCC, else in CUDA_HOME or CUDA_PATH, else in PATH; "" when there is none.
std::string findNvcc();

} // namespace gpusched::tool
