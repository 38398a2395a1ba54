// HalfArithmetic.h - sums of 16-bit floats for code outside the per-ISA files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gpusched::cpu {

uint16_t addHalf(uint16_t a, uint16_t b);
uint16_t addBrain(uint16_t a, uint16_t b);

} // namespace gpusched::cpu
