// ExecuteSimd.cpp - pairs of 16-bit integers and the SIMD video instructions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each part of a and b is widened by its own sign, the exact result is clamped or cut to a part.
// Sums are of exact results: what a part cannot hold counts, as it does in the code ptxas makes.
#define GPUSCHED_ISA plain
#include "rt/device/cpu/engine/SimdHandlers.h"

#include "rt/device/cpu/engine/Comparisons.h"
#include "rt/device/cpu/engine/Lanes.h"

#include <algorithm>
#include <bit>

namespace gpusched::cpu {
namespace {

constexpr unsigned kSignedA = 1, kSignedB = 2, kSignedResult = 4, kSaturate = 8, kRelu = 16,
                   kAccumulate = 32, kFirstComparison = 64; // and upwards

template <unsigned kBits> int32_t part(uint32_t word, unsigned index, bool isSigned) {
  const uint32_t bits = word >> (index * kBits) & ((1u << kBits) - 1);
  const bool negative = isSigned && bits >> (kBits - 1);
  return static_cast<int32_t>(bits) - (negative ? 1 << kBits : 0);
}

template <SimdOp kOp> int32_t combine(int32_t a, int32_t b, unsigned how) {
  switch (kOp) {
  case SimdOp::Add:
    return a + b;
  case SimdOp::Sub:
    return a - b;
  case SimdOp::Average: // rounded away from zero
    return (a + b + (a + b >= 0)) >> 1;
  case SimdOp::AbsoluteDifference:
    return a > b ? a - b : b - a;
  case SimdOp::Min:
    return std::min(a, b);
  case SimdOp::Max:
    return std::max(a, b);
  case SimdOp::Set:
    return holds(static_cast<Comparison>(how / kFirstComparison), a, b);
  }
  return 0;
}

template <unsigned kBits> int32_t clampPart(int32_t value, bool isSigned) {
  const int32_t least = isSigned ? -(1 << (kBits - 1)) : 0;
  return std::clamp(value, least, least + (1 << kBits) - 1);
}

/// The bytes that the digits of `selector` name, the lowest first.
uint32_t choose(uint64_t bytes, unsigned selector) {
  uint32_t word = 0;
  for (unsigned i = 0; i < 4; ++i)
    word |= static_cast<uint32_t>(bytes >> (selector >> i * 4 & 7) * 8 & 255) << i * 8;
  return word;
}

template <SimdOp kOp, unsigned kBits>
uint32_t apply(uint32_t a, uint32_t b, uint32_t c, unsigned how, const SimdParts& parts) {
  if (parts.chosen()) {
    const uint64_t both = uint64_t(b) << 32 | a;
    a = choose(both, parts.a), b = choose(both, parts.b);
  }
  uint32_t packed = 0, sum = c;
  for (unsigned i = 0; i < 32 / kBits; ++i) {
    int32_t value =
        combine<kOp>(part<kBits>(a, i, how & kSignedA), part<kBits>(b, i, how & kSignedB), how);
    if (how & kRelu)
      value = std::max(value, 0);
    if (how & kSaturate)
      value = clampPart<kBits>(value, how & kSignedResult);
    const uint32_t bits = static_cast<uint32_t>(value) & ((1u << kBits) - 1);
    packed |= bits << (i * kBits);
    sum += parts.written >> (i * kBits) & 1 ? static_cast<uint32_t>(value) : 0;
  }
  return how & kAccumulate ? sum : (packed & parts.written) | (c & ~parts.written);
}

template <SimdOp kOp, unsigned kBits>
const MicroOp* simd(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  using plain::lanes;
  const uint32_t *a = lanes<uint32_t>(frame, op->slot[1]), *b = lanes<uint32_t>(frame, op->slot[2]),
                 *c = lanes<uint32_t>(frame, op->slot[3]);
  const SimdParts parts = std::bit_cast<SimdParts>(op->immediate);
  alignas(64) uint32_t result[kLanes];
  for (unsigned i = 0; i < kLanes; ++i)
    result[i] = apply<kOp, kBits>(a[i], b[i], c[i], op->detail, parts);
  plain::blend(lanes<uint32_t>(frame, op->slot[0]), result, mask);
  return op + 1;
}

template <SimdOp kOp> Handler ofWidth(unsigned bits) {
  return bits == 16 ? simd<kOp, 16> : simd<kOp, 8>;
}

} // namespace

Handler simdHandler(const SimdForm& form) {
  switch (form.op) {
  case SimdOp::Add:
    return ofWidth<SimdOp::Add>(form.bits);
  case SimdOp::Sub:
    return ofWidth<SimdOp::Sub>(form.bits);
  case SimdOp::Average:
    return ofWidth<SimdOp::Average>(form.bits);
  case SimdOp::AbsoluteDifference:
    return ofWidth<SimdOp::AbsoluteDifference>(form.bits);
  case SimdOp::Min:
    return ofWidth<SimdOp::Min>(form.bits);
  case SimdOp::Max:
    return ofWidth<SimdOp::Max>(form.bits);
  case SimdOp::Set:
    return ofWidth<SimdOp::Set>(form.bits);
  }
  return nullptr;
}

uint16_t simdDetail(const SimdForm& form) {
  return static_cast<uint16_t>((form.signedA ? kSignedA : 0) | (form.signedB ? kSignedB : 0) |
                               (form.signedResult ? kSignedResult : 0) |
                               (form.saturate ? kSaturate : 0) | (form.relu ? kRelu : 0) |
                               (form.accumulate ? kAccumulate : 0) |
                               unsigned(form.comparison) * kFirstComparison);
}

} // namespace gpusched::cpu
