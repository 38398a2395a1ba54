// Pairs.h - kernels that run the blocks of two others, from the PTX of these.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   from cicc                              with the kernels' bodies
//   .entry pair (.., pair_param_0[64],     .entry pair (...)
//                .., pair_param_1, ..)     .maxntid 128
//   {                                      {
//     mov.u64 %rd1, a;
//     mov.u64 %rd2, b;
//     // gpusched_pair_of %rd1 %rd2
//     ...                                    ...
//     gpusched_paired_body 0;                mov.u32 %r1, gpusched_ctaid_x; ... ret;    of a
//     ...                                    ...
//     gpusched_paired_body 1;                ...                                        of b
//   }                                      }
//
// The shell is device/PairedBlocks.cuh. A block runs one body, once, so a return is one, and what
// waits is as in the kernel. The launch bounds are those that hold for a block that either may
// have.
#pragma once

#include "tools/gpusched-ptxas/PtxEntries.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace gpusched::cicc {

/// Is there a kernel for two launches without their bodies?
bool hasPairs(std::string_view ptx);

/// Symbols of the kernels of which the entry is to run the blocks; none for what is no such shell.
std::optional<std::array<std::string, 2>> kernelsOfPair(const std::string& ptx,
                                                        const ptxas::Entry& entry);

/// Number of a kernel's parameters.
size_t parametersOf(const std::string& ptx, const ptxas::Entry& kernel);

/// Bytes of static shared memory that the text declares.
uint64_t sharedBytesIn(std::string_view text);

/// Directives and body of the pair.
std::string filledPair(const std::string& ptx, const ptxas::Entry& pair,
                       const std::array<ptxas::Entry, 2>& kernels,
                       const std::array<std::string, 2>& bodies);

/// The same for a pair that cannot be: no block of more than one thread may be launched, which
/// tells the runtime not to use it, and none does anything.
std::string emptyPair();

} // namespace gpusched::cicc
