// Lanes.h - the loops over 32 lanes that every arithmetic handler is made of.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included only by files compiled once per instruction set. Everything is in an unnamed
// namespace: two compilations of one template must never be merged by the linker, or a
// plain x86-64 processor could be given AVX code. For the same reason no std:: templates.
// A loop's iterations are independent even when the destination is also a source, because
// lane i reads and writes only lane i: hence GPUSCHED_INDEPENDENT_LANES before each.
#pragma once

#include "rt/device/cpu/engine/Isa.h"
#include "rt/device/cpu/engine/Warp.h"

#include <cstdint>
#include <cstring>

#ifndef GPUSCHED_ISA
#error "compile with -DGPUSCHED_ISA=<name>"
#endif

#ifdef __clang__
#define GPUSCHED_INDEPENDENT_LANES                                                                 \
  _Pragma("clang loop vectorize(assume_safety) interleave_count(4) unroll(disable)")
#else
#define GPUSCHED_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

namespace gpusched::cpu::GPUSCHED_ISA {
namespace {

template <unsigned kBytes> struct UintOf;
template <> struct UintOf<1> {
  using Type = uint8_t;
};
template <> struct UintOf<2> {
  using Type = uint16_t;
};
template <> struct UintOf<4> {
  using Type = uint32_t;
};
template <> struct UintOf<8> {
  using Type = uint64_t;
};
template <class T> using Uint = typename UintOf<sizeof(T)>::Type;

struct alignas(64) LaneBits {
  uint32_t narrow[kLanes];
  uint64_t wide[kLanes];
};
constexpr LaneBits makeLaneBits() {
  LaneBits bits{};
  for (unsigned i = 0; i < kLanes; ++i)
    bits.narrow[i] = 1u << i, bits.wide[i] = 1u << i;
  return bits;
}
constexpr LaneBits kLaneBits = makeLaneBits();

template <class T> inline T* lanes(uint8_t* frame, uint32_t slot) {
  return static_cast<T*>(__builtin_assume_aligned(frame + slot, sizeof(T) >= 2 ? 64 : 1));
}
inline uint32_t& maskAt(uint8_t* frame, uint32_t slot) {
  return *reinterpret_cast<uint32_t*>(frame + slot);
}

/// out[i] = value[i] in the lanes of `mask`. By bits: of a choice between two values Clang makes
/// one between their addresses, lane by lane.
template <class T> inline void blend(T* out, const T* value, Mask mask) {
  using U = Uint<T>;
  U* to = reinterpret_cast<U*>(out);
  const U* from = reinterpret_cast<const U*>(value);
  if constexpr (sizeof(T) == 8) {
    const uint64_t wide = mask;
    GPUSCHED_INDEPENDENT_LANES
    for (unsigned i = 0; i < kLanes; ++i)
      to[i] ^= (to[i] ^ from[i]) & -U((wide & kLaneBits.wide[i]) != 0);
  } else {
    GPUSCHED_INDEPENDENT_LANES
    for (unsigned i = 0; i < kLanes; ++i)
      to[i] ^= (to[i] ^ from[i]) & -U((mask & kLaneBits.narrow[i]) != 0);
  }
}

template <class F, class D, class A>
const MicroOp* unary(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  D* out = lanes<D>(frame, op->slot[0]);
  const A* a = lanes<A>(frame, op->slot[1]);
  if (mask == kAllLanes) {
    GPUSCHED_INDEPENDENT_LANES
    for (unsigned i = 0; i < kLanes; ++i)
      out[i] = F::apply(a[i]);
    return op + 1;
  }
  alignas(64) D result[kLanes];
  for (unsigned i = 0; i < kLanes; ++i)
    result[i] = F::apply(a[i]);
  blend(out, result, mask);
  return op + 1;
}

template <class F, class D, class A, class B>
const MicroOp* binary(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  D* out = lanes<D>(frame, op->slot[0]);
  const A* a = lanes<A>(frame, op->slot[1]);
  const B* b = lanes<B>(frame, op->slot[2]);
  if (mask == kAllLanes) {
    GPUSCHED_INDEPENDENT_LANES
    for (unsigned i = 0; i < kLanes; ++i)
      out[i] = F::apply(a[i], b[i]);
    return op + 1;
  }
  alignas(64) D result[kLanes];
  for (unsigned i = 0; i < kLanes; ++i)
    result[i] = F::apply(a[i], b[i]);
  blend(out, result, mask);
  return op + 1;
}

template <class F, class D, class A, class B, class C>
const MicroOp* ternary(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  D* out = lanes<D>(frame, op->slot[0]);
  const A* a = lanes<A>(frame, op->slot[1]);
  const B* b = lanes<B>(frame, op->slot[2]);
  const C* c = lanes<C>(frame, op->slot[3]);
  if (mask == kAllLanes) {
    GPUSCHED_INDEPENDENT_LANES
    for (unsigned i = 0; i < kLanes; ++i)
      out[i] = F::apply(a[i], b[i], c[i]);
    return op + 1;
  }
  alignas(64) D result[kLanes];
  for (unsigned i = 0; i < kLanes; ++i)
    result[i] = F::apply(a[i], b[i], c[i]);
  blend(out, result, mask);
  return op + 1;
}

/// The 32 answers of F as a mask.
template <class F, class T> inline Mask compareLanes(const T* a, const T* b) {
  if constexpr (sizeof(T) == 8) {
    uint64_t bits = 0;
    GPUSCHED_INDEPENDENT_LANES
    for (unsigned i = 0; i < kLanes; ++i)
      bits |= F::apply(a[i], b[i]) ? kLaneBits.wide[i] : 0;
    return static_cast<Mask>(bits);
  } else {
    uint32_t bits = 0;
    GPUSCHED_INDEPENDENT_LANES
    for (unsigned i = 0; i < kLanes; ++i)
      bits |= F::apply(a[i], b[i]) ? kLaneBits.narrow[i] : 0;
    return bits;
  }
}

inline Mask combine(uint32_t boolean, Mask value, Mask with) {
  switch (static_cast<BooleanOp>(boolean & 15)) {
  case BooleanOp::And:
    return value & with;
  case BooleanOp::Or:
    return value | with;
  case BooleanOp::Xor:
    return value ^ with;
  default:
    return value;
  }
}

/// setp's p = (a cmp b) bool c, q = !(a cmp b) bool c.
inline const MicroOp* storePredicates(uint8_t* frame, const MicroOp* op, Mask mask, Mask value) {
  const Mask with = maskAt(frame, op->slot[4]) ^ (op->detail & 16 ? kAllLanes : 0);
  const Mask p = combine(op->detail, value, with), q = combine(op->detail, ~value, with);
  uint32_t& second = maskAt(frame, op->slot[3]);
  second = (second & ~mask) | (q & mask);
  uint32_t& first = maskAt(frame, op->slot[0]);
  first = (first & ~mask) | (p & mask);
  return op + 1;
}

template <class F, class T>
const MicroOp* compare(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  const Mask value =
      compareLanes<F>(lanes<const T>(frame, op->slot[1]), lanes<const T>(frame, op->slot[2]));
  return storePredicates(frame, op, mask, value);
}

} // namespace
} // namespace gpusched::cpu::GPUSCHED_ISA
