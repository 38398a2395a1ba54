// ModuleLoader.h - from the fat binary that nvcc put in the program to a loaded module.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/engine/Gpu.h"

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

namespace gpusched::cudart {

struct LoadedBinary {
  std::shared_ptr<cpu::LoadedModule> module; // null unless error is cudaSuccess
  cudaError_t error = cudaSuccess;
  std::string message; // for the log; may be a warning
};

/// Takes the PTX for the newest architecture that the described GPU can run, and register counts
/// from the cubin beside it. `wrapper` is what the program passed to __cudaRegisterFatBinary.
LoadedBinary loadFatBinary(cpu::Gpu& gpu, const void* wrapper);

/// The same for what cudaLibraryLoadData and cuModuleLoadData take: a wrapper, a fat binary, a
/// cubin (which fails: it holds no PTX) or PTX text that ends with a zero byte.
LoadedBinary loadCode(cpu::Gpu& gpu, const void* code);

} // namespace gpusched::cudart
