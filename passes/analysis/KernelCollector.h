// KernelCollector.h - every kernel definition of a translation unit, as KernelInfo.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the main file in the order of the text; kernels of the user's headers as refused
// records, so that a report can name them; kernels of system headers not at all.
#pragma once

#include "passes/analysis/KernelInfo.h"

#include "clang/Basic/SourceLocation.h"

#include <vector>

namespace clang {
class ASTContext;
}

namespace gpusched::passes {

/// `errors`: where Clang reported one; a kernel that such a place is part of stays native.
FileInfo collectKernels(clang::ASTContext& context, const SourceTokens& tokens,
                        const std::vector<clang::SourceLocation>& errors);

} // namespace gpusched::passes
