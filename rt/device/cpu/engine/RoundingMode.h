// RoundingMode.h - runs a handler under another SSE rounding mode.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler reads its operands from memory and writes its result there, so the two
// memory-clobbering register writes bracket all of its arithmetic.
#pragma once

#include "rt/device/cpu/engine/Isa.h"

#include <cstdint>

namespace gpusched::cpu::GPUSCHED_ISA {
namespace {

inline uint32_t readControl() {
  uint32_t control;
  asm volatile("stmxcsr %0" : "=m"(control) : : "memory");
  return control;
}
inline void writeControl(uint32_t control) {
  asm volatile("ldmxcsr %0" : : "m"(control) : "memory");
}

/// Bits 13-14 of MXCSR: 0 nearest, 1 down, 2 up, 3 zero.
constexpr uint32_t controlBits(Rounding rounding) {
  return rounding == Rounding::Down   ? 0x2000
         : rounding == Rounding::Up   ? 0x4000
         : rounding == Rounding::Zero ? 0x6000
                                      : 0;
}

template <Handler kHandler, Rounding kRounding>
const MicroOp* rounded(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const uint32_t before = readControl();
  writeControl((before & ~0x6000u) | controlBits(kRounding));
  const MicroOp* next = kHandler(frame, op, mask, warp);
  writeControl(before);
  return next;
}

template <Handler kHandler> Handler withRounding(Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return kHandler;
  case Rounding::Zero:
    return rounded<kHandler, Rounding::Zero>;
  case Rounding::Down:
    return rounded<kHandler, Rounding::Down>;
  case Rounding::Up:
    return rounded<kHandler, Rounding::Up>;
  }
  return nullptr;
}

} // namespace
} // namespace gpusched::cpu::GPUSCHED_ISA
