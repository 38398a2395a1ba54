// Rejections.h - reads nvcc's errors about a rewritten file: what they say, and of which lines.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   a.cu(6): error: duplicate parameter name              cudafe++, cicc
//     ...text of the line, for what nvcc shows of it...
//             detected during instantiation of "..." at line 9 of b.cuh
//   a.cu:6:1: error: ...                                  the host compiler
//   ptxas error   : Entry function '_Z5k__gsv' uses too much shared data
//   gpusched-cicc: error: twin '_Z5k__gsv' cannot have its kernel's body: it says 'exit'
#pragma once

#include "passes/Transform.h"

#include <string>
#include <vector>

namespace gpusched::cc {

/// REQUIRES: user names for paths, see userDiagnostics().
std::vector<passes::Rejection> rejectionsIn(const std::string& errors);

/// Symbols, as in PTX, of the twins that gpusched-cicc could not splice.
std::vector<std::string> unsplicedTwinsIn(const std::string& errors);

} // namespace gpusched::cc
