// KernelCollector.h - every kernel definition of a translation unit, as KernelInfo.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the order of the texts: first those of the main file, then those of the user's headers;
// kernels of system headers not at all. The walk ends with the texts that a rewrite may touch.
#pragma once

#include "passes/analysis/KernelInfo.h"
#include "passes/analysis/Parse.h"

#include <memory>

namespace gpusched::passes {

/// A kernel that one of the unit's errors is part of stays native.
FileInfo collectKernels(const ParsedUnit& unit, std::unique_ptr<SourceFile> mainFile);

} // namespace gpusched::passes
