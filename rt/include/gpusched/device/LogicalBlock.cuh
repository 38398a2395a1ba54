// LogicalBlock.cuh - which block of a grid one is, and how a kernel's PTX is told.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../LaunchAbi.h"

namespace gpusched {

__device__ __forceinline__ unsigned quotient(unsigned n, const gpusched_divisor& by) {
  const unsigned high = ::__umulhi(n, by.multiplier);
  return (high + ((n - high) >> by.first)) >> by.second;
}

/// Of the block with this number. `Grid`: with grid_x, grid_y, by_x and by_y.
template <class Grid> __device__ __forceinline__ uint3 blockIndex(unsigned id, const Grid& grid) {
  const unsigned row = quotient(id, grid.by_x);
  const unsigned layer = quotient(row, grid.by_y);
  return uint3{id - row * grid.grid_x, row - layer * grid.grid_y, layer};
}

} // namespace gpusched

/// Begins assembly that gpusched-cicc puts PTX into: what %ctaid and %nctaid become there, from the
/// operands %0 to %5. The closing brace is the text's.
#define GPUSCHED_LOGICAL_REGISTERS                                                                 \
  "{ .reg .b32 gpusched_ctaid_x, gpusched_ctaid_y, gpusched_ctaid_z;\n\t"                          \
  ".reg .b32 gpusched_nctaid_x, gpusched_nctaid_y, gpusched_nctaid_z;\n\t"                         \
  "mov.b32 gpusched_ctaid_x, %0; mov.b32 gpusched_ctaid_y, %1;\n\t"                                \
  "mov.b32 gpusched_ctaid_z, %2; mov.b32 gpusched_nctaid_x, %3;\n\t"                               \
  "mov.b32 gpusched_nctaid_y, %4; mov.b32 gpusched_nctaid_z, %5;\n\t"
