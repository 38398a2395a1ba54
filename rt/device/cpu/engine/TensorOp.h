// TensorOp.h - the operands of mma, wmma and their loads and stores.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A * B + C, where A is m x k, B is k x n, C and D are m x n, and each matrix is spread
// over the registers of the warp's lanes. Where an element is:
//   mma   as PTX says, for lane = 4 * group + place and e elements in a register:
//         A register r: row group + 8 * (r % 2), columns place * e + 4 * e * (r / 2) ...
//         B register r: rows place * e + 4 * e * r ..., column group
//         C elements in pairs: row group + 8 * (pair), columns place * 2, place * 2 + 1
//         m8n8k4 of f16, Volta's, is four products of 8 x 8 x 4, of lanes q * 4 to q * 4 + 3 and
//         those 16 above: here their matrices lie below each other, A's and C's 8 rows each, B's 4
//   wmma  PTX leaves it open. Here lane i holds elements i * share ... of the matrix in row
//         order, again and again if it has more registers than its share needs; B of elements
//         below 8 bits in column order, so that a register is a word of memory.
// They do not fit a micro-op, so they are in a table of the module that its slot[1] indexes.
#pragma once

#include <bit>
#include <cstdint>

namespace gpusched::cpu {

enum class TensorElement : uint8_t {
  None,
  F16,
  BF16,
  TF32,
  F32,
  F64,
  S8,
  U8,
  S32,
  E4M3,
  E5M2,
  S4,
  U4,
  B1
};

inline unsigned elementBits(TensorElement element) {
  switch (element) {
  case TensorElement::F16:
  case TensorElement::BF16:
    return 16;
  case TensorElement::S8:
  case TensorElement::U8:
  case TensorElement::E4M3:
  case TensorElement::E5M2:
    return 8;
  case TensorElement::S4:
  case TensorElement::U4:
    return 4;
  case TensorElement::B1:
    return 1;
  case TensorElement::F64:
    return 64;
  default:
    return 32;
  }
}

enum class TensorRole : uint8_t { A, B, C };

/// By whose rule the elements are placed.
enum class TensorPlacement : uint8_t { Wmma, Mma, QuadsByRow, QuadsByColumn };

/// One matrix in registers.
struct TensorFragment {
  static constexpr unsigned kMostRegisters = 8;
  TensorRole role = TensorRole::C;
  TensorElement element = TensorElement::None;
  uint16_t rows = 0, columns = 0;
  uint8_t registers = 0;
  uint32_t slots[kMostRegisters] = {};
  const uint16_t* places = nullptr; // row * columns + column of a lane's elements, lane by lane

  unsigned registerBytes() const { return element == TensorElement::F64 ? 8 : 4; }
  unsigned elementsInRegister() const { return registerBytes() * 8 / elementBits(element); }
  unsigned held() const { return registers * elementsInRegister(); } // elements of one lane
  /// Columns are a power of two.
  unsigned row(unsigned place) const { return place >> std::countr_zero(unsigned(columns)); }
  unsigned column(unsigned place) const { return place & (columns - 1u); }
  unsigned share() const { return rows * columns / 32u; } // distinct ones
};

/// What stands for a product of bits.
enum class BitProduct : uint8_t { None, And, Xor };

struct TensorOp {
  bool quads = false; // Volta's m8n8k4
  bool saturate = false;
  bool rowMajor = true; // wmma.load, wmma.store: the matrix in memory
  BitProduct bits = BitProduct::None;
  uint16_t m = 0, n = 0, k = 0;
  TensorFragment d, a, b, c; // a load or store uses d only
  // mma.sp: of every so many columns of A only some are stored, see TensorSparse.h.
  bool sparse = false;
  uint8_t selector = 0;
  uint32_t metadata = 0; // a slot
};

} // namespace gpusched::cpu
