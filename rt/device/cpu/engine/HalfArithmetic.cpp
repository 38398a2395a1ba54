// HalfArithmetic.cpp - correctly rounded sums of f16 and bf16.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define GPUSCHED_ISA plain
#include "rt/device/cpu/engine/HalfArithmetic.h"

#include "rt/device/cpu/engine/HalfBits.h"

namespace gpusched::cpu {

uint16_t addHalf(uint16_t a, uint16_t b) {
  return plain::Half::fromDouble(plain::Half::toDouble(a) + plain::Half::toDouble(b),
                                 Rounding::Nearest);
}

uint16_t addBrain(uint16_t a, uint16_t b) {
  const double sum = plain::fusedToOdd(plain::Brain::toDouble(a), 1.0, plain::Brain::toDouble(b));
  return plain::Brain::fromDouble(sum, Rounding::Nearest);
}

} // namespace gpusched::cpu
