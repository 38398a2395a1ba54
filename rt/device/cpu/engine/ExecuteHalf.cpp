// ExecuteHalf.cpp - f16, bf16 and their packed pairs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each lane is computed in double precision and rounded once to 16 bits. For add, sub and
// mul the double is exact or far wider than needed; fma rounds to odd first. Both give the
// correctly rounded 16-bit result.
#include "rt/device/cpu/engine/Comparisons.h"
#include "rt/device/cpu/engine/HalfBits.h"
#include "rt/device/cpu/engine/IsaParts.h"
#include "rt/device/cpu/engine/Lanes.h"

namespace gpusched::cpu::GPUSCHED_ISA {
namespace {

using ptx::Type;

template <class Format> inline uint16_t flushHalf(uint16_t bits) {
  return bits & Format::kInfinity ? bits : bits & 0x8000;
}
inline bool isNan(double value) {
  return value != value;
}

template <FloatOp kOp> inline double minMax(double a, double b) {
  constexpr bool kMax = kOp == FloatOp::Max || kOp == FloatOp::MaxNan;
  constexpr bool kKeepNan = kOp == FloatOp::MinNan || kOp == FloatOp::MaxNan;
  if (isNan(a))
    return kKeepNan ? a : b;
  if (isNan(b))
    return kKeepNan ? b : a;
  if (a == b)
    return (__builtin_signbit(a) != 0) == kMax ? b : a;
  return (a > b) == kMax ? a : b;
}

/// The operation on magnitudes of .xorsign.abs, or the operation itself.
constexpr FloatOp onMagnitudes(FloatOp op) {
  switch (op) {
  case FloatOp::MinXorSign:
    return FloatOp::Min;
  case FloatOp::MaxXorSign:
    return FloatOp::Max;
  case FloatOp::MinNanXorSign:
    return FloatOp::MinNan;
  case FloatOp::MaxNanXorSign:
    return FloatOp::MaxNan;
  default:
    return op;
  }
}

template <FloatOp kOp> inline double evaluate(double a, double b, double c) {
  switch (kOp) {
  case FloatOp::Add:
    return fusedToOdd(a, 1.0, b);
  case FloatOp::Sub:
    return fusedToOdd(a, 1.0, -b);
  case FloatOp::Mul:
    return a * b;
  case FloatOp::Fma:
  case FloatOp::FmaRelu:
    return fusedToOdd(a, b, c);
  case FloatOp::Ex2:
    return __builtin_exp2f(float(a));
  case FloatOp::Tanh:
    return __builtin_tanhf(float(a));
  default:
    return minMax<kOp>(a, b);
  }
}

template <class Format, FloatOp kOp>
inline uint16_t one(const MicroOp* op, uint16_t a, uint16_t b, uint16_t c) {
  const bool flushes = op->detail & 1, saturates = op->detail & 2;
  if (flushes)
    a = flushHalf<Format>(a), b = flushHalf<Format>(b), c = flushHalf<Format>(c);
  uint16_t result, sign = 0;
  if constexpr (onMagnitudes(kOp) != kOp) {
    sign = (a ^ b) & 0x8000;
    a &= 0x7fff, b &= 0x7fff;
  }
  if (kOp == FloatOp::Neg)
    result = a ^ 0x8000;
  else if (kOp == FloatOp::Abs)
    result = a & 0x7fff;
  else {
    double value =
        evaluate<onMagnitudes(kOp)>(Format::toDouble(a), Format::toDouble(b), Format::toDouble(c));
    if (kOp == FloatOp::FmaRelu && !isNan(value) && value <= 0)
      value = 0;
    if (saturates)
      value = saturate(value);
    result = Format::fromDouble(value, Rounding::Nearest) | (isNan(value) ? 0 : sign);
  }
  return flushes ? flushHalf<Format>(result) : result;
}

/// kPair: two values in each 32-bit lane.
template <class Format, FloatOp kOp, bool kPair>
const MicroOp* half(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  constexpr unsigned kStep = kPair ? 2 : 1;
  uint16_t* out = lanes<uint16_t>(frame, op->slot[0]);
  const uint16_t* a = lanes<const uint16_t>(frame, op->slot[1]);
  const uint16_t* b = lanes<const uint16_t>(frame, op->slot[2]);
  const uint16_t* c = lanes<const uint16_t>(frame, op->slot[3]);
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = __builtin_ctz(rest);
    for (unsigned i = lane * kStep; i < (lane + 1) * kStep; ++i)
      out[i] = one<Format, kOp>(op, a[i], b[i], c[i]);
  }
  return op + 1;
}

template <class Format, bool kPair> Handler halfOf(FloatOp op) {
  switch (op) {
  case FloatOp::Add:
    return half<Format, FloatOp::Add, kPair>;
  case FloatOp::Sub:
    return half<Format, FloatOp::Sub, kPair>;
  case FloatOp::Mul:
    return half<Format, FloatOp::Mul, kPair>;
  case FloatOp::Fma:
    return half<Format, FloatOp::Fma, kPair>;
  case FloatOp::FmaRelu:
    return half<Format, FloatOp::FmaRelu, kPair>;
  case FloatOp::Neg:
    return half<Format, FloatOp::Neg, kPair>;
  case FloatOp::Abs:
    return half<Format, FloatOp::Abs, kPair>;
  case FloatOp::Min:
    return half<Format, FloatOp::Min, kPair>;
  case FloatOp::Max:
    return half<Format, FloatOp::Max, kPair>;
  case FloatOp::MinNan:
    return half<Format, FloatOp::MinNan, kPair>;
  case FloatOp::MaxNan:
    return half<Format, FloatOp::MaxNan, kPair>;
  case FloatOp::MinXorSign:
    return half<Format, FloatOp::MinXorSign, kPair>;
  case FloatOp::MaxXorSign:
    return half<Format, FloatOp::MaxXorSign, kPair>;
  case FloatOp::MinNanXorSign:
    return half<Format, FloatOp::MinNanXorSign, kPair>;
  case FloatOp::MaxNanXorSign:
    return half<Format, FloatOp::MaxNanXorSign, kPair>;
  case FloatOp::Ex2:
    return half<Format, FloatOp::Ex2, kPair>;
  case FloatOp::Tanh:
    return half<Format, FloatOp::Tanh, kPair>;
  default:
    return nullptr;
  }
}

/// The comparison is in `immediate`. A pair sets p from the low halves and q from the high.
template <class Format, bool kPair, bool kFlush>
const MicroOp* compareHalf(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  constexpr unsigned kStep = kPair ? 2 : 1;
  const uint16_t* a = lanes<const uint16_t>(frame, op->slot[1]);
  const uint16_t* b = lanes<const uint16_t>(frame, op->slot[2]);
  const Comparison comparison = static_cast<Comparison>(op->immediate);
  Mask value[2] = {};
  for (unsigned i = 0; i < kLanes * kStep; ++i)
    if (holds(comparison, Format::toDouble(kFlush ? flushHalf<Format>(a[i]) : a[i]),
              Format::toDouble(kFlush ? flushHalf<Format>(b[i]) : b[i])))
      value[i % kStep] |= Mask(1) << (i / kStep);
  if (!kPair)
    return storePredicates(frame, op, mask, value[0]);
  const Mask with = maskAt(frame, op->slot[4]) ^ (op->detail & 16 ? kAllLanes : 0);
  uint32_t &p = maskAt(frame, op->slot[0]), &q = maskAt(frame, op->slot[3]);
  q = (q & ~mask) | (combine(op->detail, value[1], with) & mask);
  p = (p & ~mask) | (combine(op->detail, value[0], with) & mask);
  return op + 1;
}

} // namespace

Handler halfHandler(const FloatForm& form) {
  switch (form.type) {
  case Type::F16:
    return halfOf<Half, false>(form.op);
  case Type::BF16:
    return halfOf<Brain, false>(form.op);
  case Type::F16x2:
    return halfOf<Half, true>(form.op);
  case Type::BF16x2:
    return halfOf<Brain, true>(form.op);
  default:
    return nullptr;
  }
}

Handler compareHalfHandler(Comparison, Type type, bool flush) {
  switch (type) {
  case Type::F16:
    return flush ? compareHalf<Half, false, true> : compareHalf<Half, false, false>;
  case Type::BF16:
    return flush ? nullptr : compareHalf<Brain, false, false>;
  case Type::F16x2:
    return flush ? compareHalf<Half, true, true> : compareHalf<Half, true, false>;
  case Type::BF16x2:
    return flush ? nullptr : compareHalf<Brain, true, false>;
  default:
    return nullptr;
  }
}

} // namespace gpusched::cpu::GPUSCHED_ISA
