// ExecuteIntegerBits.cpp - bit fields, counts, permutes and packed dot products.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each apply() follows the pseudo-code of the PTX reference for one lane.
#include "rt/device/cpu/engine/ExecuteIntegerBits.h"

#include "rt/device/cpu/engine/Lanes.h"

#include <cstdlib>

namespace gpusched::cpu::GPUSCHED_ISA {
namespace {

using ptx::Type;

template <bool kClamp> inline uint32_t shiftAmount(uint32_t c) {
  return kClamp ? (c < 32 ? c : 32) : (c & 31);
}
template <bool kClamp> struct FunnelLeft {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    return uint32_t((((uint64_t(b) << 32) | a) << shiftAmount<kClamp>(c)) >> 32);
  }
};
template <bool kClamp> struct FunnelRight {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    return uint32_t(((uint64_t(b) << 32) | a) >> shiftAmount<kClamp>(c));
  }
};

struct Bfe {
  template <class T> static T apply(T a, uint32_t position, uint32_t length) {
    constexpr bool kIsSigned = T(-1) < T(0);
    constexpr unsigned kBits = sizeof(T) * 8;
    position &= 0xff, length &= 0xff;
    const unsigned top = position + length - 1 < kBits - 1 ? position + length - 1 : kBits - 1;
    const bool sign = kIsSigned && length && (Uint<T>(a) >> top & 1);
    const Uint<T> field = position < kBits ? Uint<T>(a) >> position : 0;
    const Uint<T> kept = length < kBits ? (Uint<T>(1) << length) - 1 : ~Uint<T>(0);
    const unsigned available = position < kBits ? kBits - position : 0;
    const Uint<T> real = length < available  ? kept
                         : available < kBits ? (Uint<T>(1) << available) - 1
                                             : ~Uint<T>(0);
    return T((field & real) | (sign ? ~real : 0));
  }
};

template <class T> const MicroOp* bfi(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  constexpr unsigned kBits = sizeof(T) * 8;
  alignas(64) T result[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) {
    const T a = lanes<const T>(frame, op->slot[1])[i], b = lanes<const T>(frame, op->slot[2])[i];
    const uint32_t position = lanes<const uint32_t>(frame, op->slot[3])[i] & 0xff;
    const uint32_t length = lanes<const uint32_t>(frame, op->slot[4])[i] & 0xff;
    const T ones = length < kBits ? (T(1) << length) - 1 : ~T(0);
    const T field = position < kBits ? ones << position : 0;
    const T moved = position < kBits ? a << position : 0;
    result[i] = (b & ~field) | (moved & field);
  }
  blend(lanes<T>(frame, op->slot[0]), result, mask);
  return op + 1;
}

template <class T> inline uint32_t countLeading(T a) {
  if (!a)
    return sizeof(T) * 8;
  return sizeof(T) == 8 ? __builtin_clzll(a) : __builtin_clz(uint32_t(a));
}
template <bool kShift> struct Bfind {
  template <class T> static uint32_t apply(T a) {
    Uint<T> bits = Uint<T>(a);
    if (T(-1) < T(0) && a < 0)
      bits = ~bits;
    if (!bits)
      return ~0u;
    const uint32_t leading = countLeading(bits);
    return kShift ? leading : sizeof(T) * 8 - 1 - leading;
  }
};
struct Brev {
  template <class T> static T apply(T a) {
    T result = 0;
    for (unsigned i = 0; i < sizeof(T) * 8; ++i)
      result |= (a >> i & 1) << (sizeof(T) * 8 - 1 - i);
    return result;
  }
};
struct Clz {
  template <class T> static uint32_t apply(T a) { return countLeading(a); }
};
struct Popc {
  template <class T> static uint32_t apply(T a) { return __builtin_popcountll(a); }
};

template <bool kSignedA, bool kSignedB> struct Dp4a {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    for (unsigned k = 0; k < 32; k += 8)
      c += (kSignedA ? int32_t(int8_t(a >> k)) : int32_t(uint8_t(a >> k))) *
           (kSignedB ? int32_t(int8_t(b >> k)) : int32_t(uint8_t(b >> k)));
    return c;
  }
};
template <bool kSignedA, bool kSignedB, bool kHigh> struct Dp2a {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    for (unsigned k = 0; k < 2; ++k) {
      const uint32_t half = a >> (16 * k), byte = b >> (8 * k + (kHigh ? 16 : 0));
      c += uint32_t(kSignedA ? int32_t(int16_t(half)) : int32_t(uint16_t(half))) *
           uint32_t(kSignedB ? int32_t(int8_t(byte)) : int32_t(uint8_t(byte)));
    }
    return c;
  }
};

struct Fns {
  static uint32_t apply(uint32_t bits, uint32_t base, int32_t offset) {
    if (offset == 0)
      return base < 32 && (bits >> base & 1) ? base : ~0u;
    const int step = offset < 0 ? -1 : 1;
    int64_t remaining = std::abs(int64_t(offset));
    for (int position = int(base); position >= 0 && position < 32; position += step)
      if ((bits >> position & 1) && --remaining == 0)
        return uint32_t(position);
    return ~0u;
  }
};

template <bool kClamp> struct Szext {
  template <class T> static T apply(T a, uint32_t width) {
    const uint32_t amount = kClamp ? (width < 32 ? width : 32) : width & 31;
    if (amount == 0)
      return 0;
    const uint32_t up = 32 - amount;
    return T(T(uint32_t(a) << up) >> up);
  }
};
template <bool kClamp> struct Bmsk {
  static uint32_t apply(uint32_t position, uint32_t width) {
    const uint32_t p = kClamp ? (position < 32 ? position : 32) : position & 31;
    const uint32_t w = kClamp ? (width < 32 ? width : 32) : width & 31;
    return uint32_t(((uint64_t(1) << w) - 1) << p);
  }
};

inline uint32_t byteOf(uint64_t both, uint32_t selector) {
  const uint32_t byte = uint32_t(both >> (8 * (selector & 7))) & 0xff;
  return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}
inline uint32_t pickBytes(uint32_t a, uint32_t b, uint32_t s0, uint32_t s1, uint32_t s2,
                          uint32_t s3) {
  const uint64_t both = (uint64_t(b) << 32) | a;
  return byteOf(both, s0) | byteOf(both, s1) << 8 | byteOf(both, s2) << 16 | byteOf(both, s3) << 24;
}
struct Prmt {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    return pickBytes(a, b, c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15);
  }
};
struct PrmtF4e {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    c &= 3;
    return pickBytes(a, b, c, c + 1, c + 2, c + 3);
  }
};
struct PrmtB4e {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    c &= 3;
    return pickBytes(a, b, c, (c + 7) & 7, (c + 6) & 7, (c + 5) & 7);
  }
};
struct PrmtRc8 {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    return pickBytes(a, b, c & 3, c & 3, c & 3, c & 3);
  }
};
struct PrmtEcl {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    c &= 3;
    return pickBytes(a, b, c, c > 1 ? c : 1, c > 2 ? c : 2, 3);
  }
};
struct PrmtEcr {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    c &= 3;
    return pickBytes(a, b, 0, c < 1 ? c : 1, c < 2 ? c : 2, c);
  }
};
struct PrmtRc16 {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t first = c & 1 ? 2 : 0;
    return pickBytes(a, b, first, first + 1, first, first + 1);
  }
};

template <class F> Handler ternary32() {
  return ternary<F, uint32_t, uint32_t, uint32_t, uint32_t>;
}
template <class F> Handler count(Type type) {
  switch (type) {
  case Type::B32:
  case Type::U32:
    return unary<F, uint32_t, uint32_t>;
  case Type::B64:
  case Type::U64:
    return unary<F, uint32_t, uint64_t>;
  case Type::S32:
    return unary<F, uint32_t, int32_t>;
  case Type::S64:
    return unary<F, uint32_t, int64_t>;
  default:
    return nullptr;
  }
}
Handler bfe(Type type) {
  switch (type) {
  case Type::U32:
    return ternary<Bfe, uint32_t, uint32_t, uint32_t, uint32_t>;
  case Type::S32:
    return ternary<Bfe, int32_t, int32_t, uint32_t, uint32_t>;
  case Type::U64:
    return ternary<Bfe, uint64_t, uint64_t, uint32_t, uint32_t>;
  case Type::S64:
    return ternary<Bfe, int64_t, int64_t, uint32_t, uint32_t>;
  default:
    return nullptr;
  }
}
template <bool kClamp> Handler szext(Type type) {
  if (type == Type::S32)
    return binary<Szext<kClamp>, int32_t, int32_t, uint32_t>;
  return binary<Szext<kClamp>, uint32_t, uint32_t, uint32_t>;
}
Handler brev(Type type) {
  return type == Type::B64 ? Handler(unary<Brev, uint64_t, uint64_t>)
                           : unary<Brev, uint32_t, uint32_t>;
}

/// Dot products take the type of a; the decoder passes U8/S8-like pairs as U32, S32 (same) or
/// U64 (a unsigned, b signed) and S64 (a signed, b unsigned).
template <template <bool, bool> class F> Handler dot(Type type) {
  switch (type) {
  case Type::U32:
    return ternary32<F<false, false>>();
  case Type::S32:
    return ternary32<F<true, true>>();
  case Type::U64:
    return ternary32<F<false, true>>();
  case Type::S64:
    return ternary32<F<true, false>>();
  default:
    return nullptr;
  }
}
template <bool kA, bool kB> using Dp2aLow = Dp2a<kA, kB, false>;
template <bool kA, bool kB> using Dp2aHigh = Dp2a<kA, kB, true>;

Handler permuteHandler(IntegerOp op) {
  switch (op) {
  case IntegerOp::Prmt:
    return ternary32<Prmt>();
  case IntegerOp::PrmtF4e:
    return ternary32<PrmtF4e>();
  case IntegerOp::PrmtB4e:
    return ternary32<PrmtB4e>();
  case IntegerOp::PrmtRc8:
    return ternary32<PrmtRc8>();
  case IntegerOp::PrmtEcl:
    return ternary32<PrmtEcl>();
  case IntegerOp::PrmtEcr:
    return ternary32<PrmtEcr>();
  case IntegerOp::PrmtRc16:
    return ternary32<PrmtRc16>();
  default:
    return nullptr;
  }
}

} // namespace

Handler integerBitsHandler(IntegerOp op, Type type) {
  switch (op) {
  case IntegerOp::FunnelLeftWrap:
    return ternary32<FunnelLeft<false>>();
  case IntegerOp::FunnelLeftClamp:
    return ternary32<FunnelLeft<true>>();
  case IntegerOp::FunnelRightWrap:
    return ternary32<FunnelRight<false>>();
  case IntegerOp::FunnelRightClamp:
    return ternary32<FunnelRight<true>>();
  case IntegerOp::Bfe:
    return bfe(type);
  case IntegerOp::Bfi:
    return type == Type::B64 ? bfi<uint64_t> : bfi<uint32_t>;
  case IntegerOp::Bfind:
    return count<Bfind<false>>(type);
  case IntegerOp::BfindShift:
    return count<Bfind<true>>(type);
  case IntegerOp::Brev:
    return brev(type);
  case IntegerOp::Clz:
    return count<Clz>(type == Type::B64 ? Type::U64 : Type::U32);
  case IntegerOp::Popc:
    return count<Popc>(type == Type::B64 ? Type::U64 : Type::U32);
  case IntegerOp::Dp4a:
    return dot<Dp4a>(type);
  case IntegerOp::Dp2aLo:
    return dot<Dp2aLow>(type);
  case IntegerOp::Dp2aHi:
    return dot<Dp2aHigh>(type);
  case IntegerOp::Fns:
    return ternary<Fns, uint32_t, uint32_t, uint32_t, int32_t>;
  case IntegerOp::SextClamp:
    return szext<true>(type);
  case IntegerOp::SextWrap:
    return szext<false>(type);
  case IntegerOp::BmskClamp:
    return binary<Bmsk<true>, uint32_t, uint32_t, uint32_t>;
  case IntegerOp::BmskWrap:
    return binary<Bmsk<false>, uint32_t, uint32_t, uint32_t>;
  default:
    return permuteHandler(op);
  }
}

} // namespace gpusched::cpu::GPUSCHED_ISA
