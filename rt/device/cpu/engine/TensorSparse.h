// TensorSparse.h - the full matrix A of mma.sp from what is stored of it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of four neighbouring columns two are stored, with two bits each that say which; tf32: of two one,
// with four bits; integers of 4 bits: of eight two pairs. Where a row's bits are, for group = row %
// 8 and the selector f:
//   16 bits a row   lane 4 * group + f: rows below 8 in its lower half, the others in the upper
//   32, floats of 16 and 32 bits   lanes 4 * group + 2 * f and the next: so for 16 bits each
//   32, others      lane 4 * group + 2 * f: rows below 8, the next lane: the others
//   64              lanes 4 * group and + 1 as the line above, + 2 and + 3: the upper 32 bits
#pragma once

#include "rt/device/cpu/engine/MicroOp.h"
#include "rt/device/cpu/engine/TensorOp.h"

namespace gpusched::cpu {

/// Whether the shape and the element of A have a sparse form.
bool hasSparseForm(const TensorOp& op);

/// `stored` is m x k/2, `full` m x k. `metadata`: one word a lane.
void expandSparse(const TensorOp& op, const uint32_t* metadata, const double* stored, double* full);

} // namespace gpusched::cpu
