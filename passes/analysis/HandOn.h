// HandOn.h - what functions are given for the sake of those that they call.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   struct S { __device__ void wait() { __syncthreads(); }  // told of the drain barrier
//              __device__ void run() { wait(); } };         // has to have it at hand
//
// A member function gets the barrier and the primitives as arguments, so whoever calls it must see
// them: as parameters, or as members of its object. Those that one text calls in different
// instantiations get the same ones, since there is one list of arguments.
#pragma once

#include "passes/analysis/KernelInfo.h"

#include <memory>
#include <vector>

namespace gpusched::passes {

/// `functions`: all that the kernels need.
void handOn(std::vector<std::unique_ptr<VirtualFunction>>& functions,
            std::vector<KernelInfo>& kernels);

} // namespace gpusched::passes
