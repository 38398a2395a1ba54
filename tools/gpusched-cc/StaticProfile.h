// StaticProfile.h - joins what the source and the compiled code say of each kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   transform             -> name, place, twin, refusal
//   CompiledKernels       -> registers, shared memory, stack, barriers, bounds, instruction mix
//   ptxas -v              -> spills
//   device description    -> occupancy and its limiter
// Kernels of libraries (thrust, CUB) have no record of the transform; they are listed by their
// demangled name, native only.
#pragma once

#include "passes/Transform.h"
#include "rt/schema/Profile.h"

#include <string>
#include <vector>

namespace gpusched::cc {

struct ProfileInput {
  std::string source; ///< as the user wrote it
  std::string object; ///< what the compile left
  std::vector<passes::KernelRecord> kernels;
  std::vector<passes::PairRecord> pairs;
  std::string ptxasText; ///< nvcc's stderr with the report
};

/// An error names the object that cannot be read.
Result<std::vector<KernelProfile>> makeStaticProfile(const ProfileInput& input);

} // namespace gpusched::cc
