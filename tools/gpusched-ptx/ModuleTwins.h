// ModuleTwins.h - gives the kernels of a PTX text their twins, with nothing but the text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   .visible .entry k(.param .u64 k_param_0)     as it was
//   { ... }
//   .visible .entry k__gs(.param .align 8 .b8 k__gs_param_0[88], .param .u64 k__gs_param_1)
//   { the loop, with k's body in it }            tools/gpusched-cicc/Splice.h
//   .visible .global .align 4 .b8 gpusched_twin_of_k[24] = {...};
//                                                as passes/Publish.cpp says: who loads it finds
//                                                k__gs
//
// The loops are those that gpusched-cc uses, compiled beforehand (Loops.cu). Kernels keep their
// text. Refuses: what KernelForm and Splice refuse; kernels that have a twin.
#pragma once

#include "rt/support/Result.h"

#include <string>
#include <vector>

namespace gpusched::twins {

struct KernelNote {
  std::string kernel;
  std::string reason; ///< why it stays native; "" = it has a twin
  std::string form;   ///< what its twin does, in words
};

struct TwinText {
  std::string ptx; ///< what was given, where no kernel has got a twin
  std::vector<KernelNote> notes;
};

/// Why kernels stay native, at log level "info".
void sayNotes(const TwinText& text);

/// An error: the text is no PTX that we can read, of a GPU older than sm_70, or of a
/// version before 7.0.
Result<TwinText> addTwins(const std::string& ptx);

} // namespace gpusched::twins
