// Assembler.h - gpusched-ptx in the place of ptxas, for compilers that make PTX and start ptxas.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   TRITON_PTXAS_PATH=.../libexec/gpusched/ptxas      a link to gpusched-ptx, known by its name
//     ptxas -v --gpu-name=sm_90a k.ptx -o k.cubin     what Triton starts
//       k.ptx with twins, in a folder of its own
//       gpusched-ptxas PTXAS -v --gpu-name=sm_90a that.ptx -o k.cubin
//     the same, where nothing takes machine code (GPUSCHED_PTX_CODE)
//       k.cubin is k.ptx, whose twins come when it is loaded
//     ptxas --version                                 by which Triton knows again what it has kept
//       PTXAS --version, and whether its code has twins, or is PTX
//
// PTXAS is named by GPUSCHED_PTXAS, else it is that of the Triton that runs in the process which
// started this one, else the first in PATH that is not this program. Commands without one PTX
// input, and whatever goes wrong, end in ptxas as asked.
#pragma once

#include "tools/gpusched-cc/Process.h"

namespace gpusched::twins {

/// Was the program started as ptxas, or as ptxas-blackwell, which Triton has beside it?
bool isAssembler(const char* program);

/// `command`: as it was started. Returns the exit code.
int assemble(const cc::Command& command);

} // namespace gpusched::twins
