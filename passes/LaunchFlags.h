// LaunchFlags.h - what a runtime has to know of a twin before it launches it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "passes/analysis/KernelInfo.h"

namespace gpusched::passes {

/// gpusched_kernel_flags of the twin, but for those that its compile adds (GPUSCHED_FORM_FLAGS).
uint32_t launchFlags(const KernelInfo& kernel, const KernelInstance& instance);

} // namespace gpusched::passes
