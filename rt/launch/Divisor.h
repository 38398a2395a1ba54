// Divisor.h - division by a number known at launch, for device code: multiply, add, shift.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: a worker turns a linear block id into (x, y, z) for every logical block; a 32-bit
// division costs the device some twenty instructions and their registers. Method: Granlund and
// Montgomery, "Division by Invariant Integers using Multiplication" (PLDI 1994), figure 4.1: exact
// for every 32-bit dividend and every divisor from 1. Cost: five instructions.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"

#include <bit>
#include <cstdint>

namespace gpusched {

/// REQUIRES: divisor > 0.
inline gpusched_divisor makeDivisor(uint32_t divisor) {
  uint32_t bits = uint32_t(std::bit_width(divisor - 1)); // smallest with 2^bits >= divisor
  uint64_t excess = (uint64_t(1) << bits) - divisor;
  uint32_t multiplier = uint32_t((excess << 32) / divisor + 1);
  return {multiplier, bits > 0 ? 1u : 0u, bits > 0 ? bits - 1 : 0u};
}

/// What the device computes.
inline uint32_t divide(uint32_t dividend, const gpusched_divisor& by) {
  uint32_t high = uint32_t(uint64_t(dividend) * by.multiplier >> 32);
  return (high + ((dividend - high) >> by.first)) >> by.second;
}

} // namespace gpusched
