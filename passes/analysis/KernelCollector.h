// KernelCollector.h - every kernel definition of a translation unit, as KernelInfo.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the order of the texts: first those of the main file, then those of the user's headers;
// kernels of system headers not at all. The walk ends with the texts that a rewrite may touch.
#pragma once

#include "passes/analysis/Forms.h"
#include "passes/analysis/KernelInfo.h"
#include "passes/analysis/Parse.h"
#include "passes/analysis/TwinNames.h"

#include <memory>

namespace gpusched::passes {

/// A kernel that one of the unit's errors is part of stays native. Of the host pass only the forms
/// of kernels are told: it makes stubs of them, whatever they do.
/// `headers` are the texts of that parse that stand for files.
FileInfo collectKernels(const ParsedUnit& unit, std::unique_ptr<SourceFile> mainFile,
                        const Texts& headers, TwinNames& names, FormChoice forms);

} // namespace gpusched::passes
