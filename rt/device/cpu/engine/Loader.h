// Loader.h - a parsed module to a loaded one: storage, code and kernel facts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/engine/Program.h"

namespace gpusched::cpu {

struct LoadOptions {
  bool checking = false;   // put the checks in
  bool splitFused = false; // see GpuOptions
  bool compiling = false;  // hot blocks may be compiled
};

/// An error means that the device has no memory left for the module's globals, or that an
/// initialiser names something unknown.
Result<std::shared_ptr<LoadedModule>>
loadModule(DeviceMemory& memory, std::shared_ptr<const ptx::Module> source,
           const RegisterTable& registers, const DeviceDescription& device, LoadOptions options);

} // namespace gpusched::cpu
