// CompilerPasses.h - one view of a file's kernels out of what each pass of nvcc sees.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc reads a file once for the host, without __CUDA_ARCH__, and once for each architecture. Where
// a kernel stands under a condition on __CUDA_ARCH__, the passes may see different definitions:
//
//   #if __CUDA_ARCH__ >= 700   sm_90 sees A   A and B are outlined and get a twin of one name;
//   A                          sm_60 sees B   the host's registrar is the one behind B.
//   #else                      host  sees B   A definition for the host alone gets an empty twin:
//   B                                         nvcc needs its stub there, and takes device code
//   #endif                                    from the device passes.
//
// Sound because: every pass that sees a definition of the kernel sees a twin behind it, judged in
// that pass. Refuses kernels where that cannot be had. Unconditional kernels need no host pass.
#pragma once

#include "passes/analysis/KernelInfo.h"

namespace gpusched::passes {

/// Adds what the pass for another architecture found to what the first one did.
void mergeDevicePass(FileInfo other, FileInfo& unit);

/// Does it depend on the host pass which kernels may be converted?
bool needsHostPass(const FileInfo& unit);

/// Finds the host's definitions of kernels that stand under conditions.
void mergeHostPass(FileInfo host, FileInfo& unit);

/// Once all passes are in: refuses kernels of which some pass would see half, agrees on flags.
void settlePasses(FileInfo& unit);

} // namespace gpusched::passes
