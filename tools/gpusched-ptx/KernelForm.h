// KernelForm.h - which twin a kernel of a PTX text may have.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What gpusched-cc asks of the source (passes/analysis) is asked of the PTX here: may a block wait
// for another one (BlockWaits.h), may threads leave before others' barriers (Divergence.h), what
// does a body leave behind. What is unsure gets the more careful loop, or no twin.
#pragma once

#include "tools/gpusched-cicc/Telling.h"

#include "rt/device/cpu/ptx/Ir.h"
#include "rt/support/Result.h"

#include <cstdint>
#include <string>

namespace gpusched::twins {

struct KernelForm {
  std::string loop;                         ///< of Loops.cu: "gpusched_loop_w_0_n_p"
  cicc::Drain drain = cicc::Drain::Nothing; ///< Nothing: also Apart, where there is such a loop
  uint32_t flags = 0;                       ///< gpusched_kernel_flags
};

/// "claims batches, knows at barriers who has left"
std::string describe(const KernelForm& form);

/// The error says, in words for a person, why it stays native. `kernel`: an entry of the module.
Result<KernelForm> formOf(const ptx::Module& module, const ptx::Function& kernel);

} // namespace gpusched::twins
