// Forms.h - which kernels stay as they are, and have twins that get their PTX.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   outlined: the body is a function that kernel and twin call, compiled twice
//   spliced:  the kernel is the user's; the twin is a loop around the PTX that nvcc made of it
//
// A spliced twin is what the kernel is, instruction by instruction, and nvcc compiles it once. PTX
// says what the block index is wherever it is read, and where a block barrier waits that threads
// have left, so no function has to be told. Outlined are kernels whose bodies mean something else
// in a twin than that: primitives, and barriers that are asked questions, where threads have left;
// mbarriers that are ended; those of host lambdas that are told the index, since their types change
// with it; and explicit specialisations, whose twins are no templates and so are not recognised in
// PTX. Whether the PTX can be spliced is seen there: where gpusched-cicc refuses (Splice.cpp), the
// file is transformed again without.
#pragma once

#include "passes/analysis/KernelInfo.h"

namespace gpusched::passes {

/// Sets KernelInfo::spliced of kernels and their other definitions.
void chooseForms(FileInfo& unit);

} // namespace gpusched::passes
