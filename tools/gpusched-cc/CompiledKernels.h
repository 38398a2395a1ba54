// CompiledKernels.h - what the device code in an object says of each kernel in it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers, shared memory, stack, barriers and thread bounds come from the cubins, the
// instruction mix from the PTX. A kernel that is there as PTX only (-arch=compute_90, -ptx) has a
// mix and its thread bounds and nothing else: registers are not decided yet.
#pragma once

#include "rt/schema/Profile.h"
#include "rt/support/Result.h"

#include <map>
#include <string>
#include <vector>

namespace gpusched::cc {

/// Mangled name -> one entry per target.
using CompiledKernels = std::map<std::string, std::vector<VariantProfile>>;

Result<CompiledKernels> readCompiledKernels(const std::string& object);

} // namespace gpusched::cc
