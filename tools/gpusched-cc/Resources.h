// Resources.h - where gpusched-cc finds the files it is shipped with.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <prefix>/share/gpusched/include beside <prefix>/bin, installed or in a build folder; else the
// checkout's rt/include, known from configure time. $GPUSCHED_INCLUDE wins over both.
#pragma once

#include "rt/support/Result.h"

#include <string>

namespace gpusched::cc {

/// The folder that holds gpusched/Launch.h. An error says where was looked.
Result<std::string> includeFolder();

/// gpusched-ptxas or gpusched-cicc beside this program; "" = not there: nvcc does without it.
std::string helperProgram(const std::string& name);

} // namespace gpusched::cc
