// HalfArithmetic.cpp - correctly rounded sums of f16 and bf16, and their order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define GPUSCHED_ISA plain
#include "rt/device/cpu/engine/HalfArithmetic.h"

#include "rt/device/cpu/engine/HalfBits.h"

namespace gpusched::cpu {
namespace {

/// Numbers in increasing order.
int32_t rank(uint16_t bits) {
  return bits & 0x8000 ? -int32_t(bits & 0x7fff) - 1 : bits;
}

template <class Format> uint16_t extreme(uint16_t a, uint16_t b, bool larger) {
  const auto isNan = [](uint16_t bits) { return (bits & 0x7fff) > Format::kInfinity; };
  if (isNan(a) && isNan(b))
    return Format::kNan;
  if (isNan(a) || isNan(b))
    return isNan(a) ? b : a;
  return (rank(a) > rank(b)) == larger ? a : b;
}

} // namespace

uint16_t minHalf(uint16_t a, uint16_t b) {
  return extreme<plain::Half>(a, b, false);
}
uint16_t maxHalf(uint16_t a, uint16_t b) {
  return extreme<plain::Half>(a, b, true);
}
uint16_t minBrain(uint16_t a, uint16_t b) {
  return extreme<plain::Brain>(a, b, false);
}
uint16_t maxBrain(uint16_t a, uint16_t b) {
  return extreme<plain::Brain>(a, b, true);
}

uint16_t addHalf(uint16_t a, uint16_t b) {
  return plain::Half::fromDouble(plain::Half::toDouble(a) + plain::Half::toDouble(b),
                                 Rounding::Nearest);
}

uint16_t addBrain(uint16_t a, uint16_t b) {
  const double sum = plain::fusedToOdd(plain::Brain::toDouble(a), 1.0, plain::Brain::toDouble(b));
  return plain::Brain::fromDouble(sum, Rounding::Nearest);
}

} // namespace gpusched::cpu
