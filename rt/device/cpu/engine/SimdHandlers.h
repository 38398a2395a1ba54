// SimdHandlers.h - operations on the halves or bytes of a 32-bit register.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/engine/Isa.h"

namespace gpusched::cpu {

enum class SimdOp : uint8_t {
  Add,
  Sub,
  Average,
  AbsoluteDifference,
  Min,
  Max,
  Set, // 1 or 0
};

struct SimdForm {
  SimdOp op = SimdOp::Add;
  Comparison comparison = Comparison::Eq; // of Set: an integer one
  unsigned bits = 16;                     // of a part
  bool signedA = false, signedB = false, signedResult = false;
  bool saturate = false;   // to the result's range
  bool relu = false;       // negative parts become zero
  bool accumulate = false; // the sum of the parts and of c
};

/// The parts that a video instruction names: of eight bytes, a's and then b's, those that take the
/// places of a and of b, a hexadecimal digit each, and the bytes of the result that are not c's.
/// Travels in MicroOp::immediate.
struct SimdParts {
  static constexpr uint16_t kA = 0x3210, kB = 0x7654;
  uint16_t a = kA, b = kB;
  uint32_t written = 0xffffffff; // a mask of bits
  bool chosen() const { return a != kA || b != kB; }
};
static_assert(sizeof(SimdParts) == sizeof(int64_t));

/// Slots: 0 result, 1 a, 2 b, 3 c. The form goes into MicroOp::detail.
Handler simdHandler(const SimdForm& form);
uint16_t simdDetail(const SimdForm& form);

} // namespace gpusched::cpu
