// HalfArithmetic.h - sums, minima and maxima of 16-bit floats for code outside the per-ISA files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gpusched::cpu {

uint16_t addHalf(uint16_t a, uint16_t b);
uint16_t addBrain(uint16_t a, uint16_t b);
/// One NaN gives the other operand; -0 is below +0.
uint16_t minHalf(uint16_t a, uint16_t b);
uint16_t maxHalf(uint16_t a, uint16_t b);
uint16_t minBrain(uint16_t a, uint16_t b);
uint16_t maxBrain(uint16_t a, uint16_t b);

} // namespace gpusched::cpu
