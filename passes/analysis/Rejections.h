// Rejections.h - keeps those kernels native whose rewritten form nvcc did not take.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc names lines of the user's file, where #line put them, so a kernel is found by the text of
// its definition or of a device function that was rewritten for it. Where no text is there, as
// behind the end of the file, by names of ours in what nvcc shows.
#pragma once

#include "passes/analysis/KernelInfo.h"

#include <vector>

namespace gpusched::passes {

/// Refuses the kernels that these rejections are of. REQUIRES: before settlePasses.
void refuseRejected(const std::vector<Rejection>& rejections, FileInfo& unit);

} // namespace gpusched::passes
