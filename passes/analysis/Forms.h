// Forms.h - which kernels stay as they are, and have twins that get their PTX.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   outlined: the body is a function that kernel and twin call, compiled twice
//   spliced:  the kernel is the user's; the twin is a loop around the PTX that nvcc made of it
//
// A spliced twin is what the kernel is, instruction by instruction, and nvcc compiles it once. PTX
// says what the block index is wherever it is read, and shows every wait that threads may have left
// and every mbarrier, so no function has to be told and no text stands in the way. Outlined are
// explicit specialisations, whose twins are no templates and so are not recognised in PTX, and
// what gpusched-cicc refuses to splice (Splice.cpp), when the file is transformed again.
#pragma once

#include <set>
#include <string>

namespace gpusched::passes {

/// Which form twins get.
struct FormChoice {
  bool splices = false;                  ///< spliced where that can be
  const std::set<std::string>& outlined; ///< symbols of twins that are to be outlined anyway
  bool drainsOutlined = true;            ///< see TransformRequest
};

} // namespace gpusched::passes
