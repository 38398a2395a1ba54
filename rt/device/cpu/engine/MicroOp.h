// MicroOp.h - one decoded instruction: a handler and where its operands are.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function is decoded once into a flat array of these. A handler executes the
// operation for the lanes in `mask` and returns the next micro-op, or stopHere()
// after it has recorded in the Warp why the group stops. Operands are byte offsets
// into the frame: a register is 32 lane values side by side (2, 4, 8 or 16 bytes each),
// a predicate is one 32-bit mask, a constant is a register whose lanes are all equal.
#pragma once

#include <cstdint>

namespace gpusched::cpu {

using Mask = uint32_t;
inline constexpr Mask kAllLanes = ~Mask(0);
inline constexpr unsigned kLanes = 32;

class Warp;
struct MicroOp;
using Handler = const MicroOp* (*)(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp);

/// Classes of KernelCounters.
enum class OpClass : uint8_t {
  Integer,
  Fp16,
  Fp32,
  Fp64,
  Sfu,
  Conversion,
  Control,
  LoadStore,
  Atomic,
  Barrier,
  Tensor,
  Other,
};
inline constexpr unsigned kOpClasses = 12;

struct MicroOp {
  Handler run = nullptr;
  uint32_t slot[8] = {};    // operand offsets in the frame; slot[0] is the destination
  int64_t immediate = 0;    // address offset, branch distance in micro-ops, or as the handler says
  uint32_t guard = 0;       // offset of the guard predicate; slot 0 of a frame is always true
  uint32_t guardFlip = 0;   // all ones for @!p
  uint32_t instruction = 0; // index into ptx::Function::body
  uint16_t detail = 0;      // handler specific: a LUT, a barrier operand form, a width
  OpClass opClass = OpClass::Other;
  uint8_t flops = 0; // per lane
};
static_assert(sizeof(MicroOp) == 64);

/// Offsets at the head of every frame.
inline constexpr uint32_t kTrueSlot = 0;      // constant all-ones predicate
inline constexpr uint32_t kFalseSlot = 4;     // constant zero predicate
inline constexpr uint32_t kCarrySlot = 8;     // the condition-code carry, one bit per lane
inline constexpr uint32_t kSinkMaskSlot = 12; // predicate results nobody reads
inline constexpr uint32_t kFrameHead = 64;

/// Returned by a handler when its group does not continue. It compares above every micro-op.
inline const MicroOp* stopHere() {
  return reinterpret_cast<const MicroOp*>(~uintptr_t(63));
}

} // namespace gpusched::cpu
