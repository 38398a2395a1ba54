// GroupMultiply.h - the operands of wgmma.mma_async.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A * B + D for 64 rows, of which each of four warps has 16. B, and A unless it is in
// registers, is in shared memory where a 64-bit descriptor says (SharedTile.h). Elements of A in
// registers are where mma has them; element i of D in a lane (group = lane / 4, place = lane % 4):
//   row group + 8 * (i / 2 % 2), column 8 * (i / 4) + 2 * place + i % 2
// two f16 of D share a register. Of a sparse A half the columns are stored; each warp's metadata is
// where mma.sp of 16 rows has it (TensorSparse.h), as CUTLASS's layouts of it (ELayout_64x32 and
// others) say. Bits are multiplied by `and`.
#pragma once

#include "rt/device/cpu/engine/TensorOp.h"

#include <vector>

namespace gpusched::cpu {

struct GroupMultiply {
  static constexpr unsigned kRows = 16;       // of one warp
  static constexpr unsigned kInnerBytes = 32; // of A as it is stored
  uint16_t n = 0, k = 0;
  TensorElement result = TensorElement::None, a = TensorElement::None, b = TensorElement::None;
  bool aInRegisters = false;
  bool isSparse = false;
  TensorOp sparse;                        // shape, element and metadata of a warp's A
  bool aByRow = false, bByColumn = false; // adjacent elements are along M or N, not along K
  bool negated = false, saturate = false;
  bool addsIfFalse = false;        // meaning of `adds`
  uint32_t adds = 0;               // slot of a predicate: D takes part in the sum
  uint32_t aPlace = 0, bPlace = 0; // slots of descriptors
  uint32_t aSlots[4] = {};
  std::vector<uint32_t> slots; // of D

  /// Columns of A that are stored.
  unsigned stored() const { return isSparse ? k / 2u : k; }
};

} // namespace gpusched::cpu
