// ExecuteInteger.cpp - integer arithmetic, as 32-lane loops.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One struct per operation; its apply() is one lane. Results are PTX's for every input:
// shifts clamp at the width, division by zero gives all ones, and signed overflow wraps.
#include "rt/device/cpu/engine/ExecuteIntegerBits.h"
#include "rt/device/cpu/engine/IsaParts.h"
#include "rt/device/cpu/engine/Lanes.h"

namespace gpusched::cpu::GPUSCHED_ISA {
namespace {

using ptx::Type;

template <class T> inline constexpr bool kSigned = T(-1) < T(0);
template <class T> struct WideOf;
template <> struct WideOf<uint16_t> {
  using Type = uint32_t;
};
template <> struct WideOf<int16_t> {
  using Type = int32_t;
};
template <> struct WideOf<uint32_t> {
  using Type = uint64_t;
};
template <> struct WideOf<int32_t> {
  using Type = int64_t;
};
template <> struct WideOf<uint64_t> {
  using Type = unsigned __int128;
};
template <> struct WideOf<int64_t> {
  using Type = __int128;
};
template <class T> using Wide = typename WideOf<T>::Type;

template <class T> inline T mulLow(T a, T b) {
  return T(Uint<T>(uint64_t(Uint<T>(a)) * uint64_t(Uint<T>(b))));
}
template <class T> inline T mulHigh(T a, T b) {
  return T((Wide<T>(a) * Wide<T>(b)) >> (sizeof(T) * 8));
}
inline int32_t saturate(int64_t value) {
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : int32_t(value);
}
template <class T> inline int64_t low24(T value) {
  return kSigned<T> ? int64_t(int32_t(uint32_t(value) << 8) >> 8)
                    : int64_t(uint32_t(value) & 0xffffff);
}

struct Add {
  template <class T> static T apply(T a, T b) { return T(Uint<T>(a) + Uint<T>(b)); }
};
struct Sub {
  template <class T> static T apply(T a, T b) { return T(Uint<T>(a) - Uint<T>(b)); }
};
struct AddSat {
  static int32_t apply(int32_t a, int32_t b) { return saturate(int64_t(a) + b); }
};
struct SubSat {
  static int32_t apply(int32_t a, int32_t b) { return saturate(int64_t(a) - b); }
};
struct MulLo {
  template <class T> static T apply(T a, T b) { return mulLow(a, b); }
};
struct MulHi {
  template <class T> static T apply(T a, T b) { return mulHigh(a, b); }
};
struct MulWide {
  template <class T> static Wide<T> apply(T a, T b) { return Wide<T>(Wide<T>(a) * Wide<T>(b)); }
};
struct MadLo {
  template <class T> static T apply(T a, T b, T c) { return Add::apply(mulLow(a, b), c); }
};
struct MadHi {
  template <class T> static T apply(T a, T b, T c) { return Add::apply(mulHigh(a, b), c); }
};
struct MadWide {
  template <class T> static Wide<T> apply(T a, T b, Wide<T> c) {
    return Add::apply(MulWide::apply(a, b), c);
  }
};
struct MadHiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return saturate(int64_t(mulHigh(a, b)) + c);
  }
};
struct Mul24Lo {
  template <class T> static T apply(T a, T b) { return T(low24(a) * low24(b)); }
};
struct Mul24Hi {
  template <class T> static T apply(T a, T b) { return T((low24(a) * low24(b)) >> 16); }
};
struct Mad24Lo {
  template <class T> static T apply(T a, T b, T c) { return Add::apply(Mul24Lo::apply(a, b), c); }
};
struct Mad24Hi {
  template <class T> static T apply(T a, T b, T c) { return Add::apply(Mul24Hi::apply(a, b), c); }
};
struct Mad24HiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return saturate(int64_t(Mul24Hi::apply(a, b)) + c);
  }
};
struct Sad {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(c, T(a < b ? Uint<T>(b) - Uint<T>(a) : Uint<T>(a) - Uint<T>(b)));
  }
};
struct Div {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return T(-1);
    if (kSigned<T> && b == T(-1))
      return Sub::apply(T(0), a);
    return T(a / b);
  }
};
struct Rem {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return a;
    if (kSigned<T> && b == T(-1))
      return 0;
    return T(a % b);
  }
};
struct Neg {
  template <class T> static T apply(T a) { return Sub::apply(T(0), a); }
};
struct Abs {
  template <class T> static T apply(T a) { return a < 0 ? Neg::apply(a) : a; }
};
struct Min {
  template <class T> static T apply(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> static T apply(T a, T b) { return a > b ? a : b; }
};
struct MinRelu {
  static int32_t apply(int32_t a, int32_t b) { return Max::apply(Min::apply(a, b), 0); }
};
struct MaxRelu {
  static int32_t apply(int32_t a, int32_t b) { return Max::apply(Max::apply(a, b), 0); }
};
struct And {
  template <class T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T apply(T a, T b) { return a ^ b; }
};
struct Not {
  template <class T> static T apply(T a) { return T(~a); }
};
struct Cnot {
  template <class T> static T apply(T a) { return a == 0; }
};
struct Mov {
  template <class T> static T apply(T a) { return a; }
};
struct Shl {
  template <class T> static T apply(T a, uint32_t b) {
    return b < sizeof(T) * 8 ? T(a << b) : T(0);
  }
};
struct Shr {
  template <class T> static T apply(T a, uint32_t b) {
    constexpr uint32_t kTop = sizeof(T) * 8 - 1;
    if (kSigned<T>)
      return T(a >> (b < kTop ? b : kTop));
    return b <= kTop ? T(a >> b) : T(0);
  }
};
struct Slct {
  template <class T> static T apply(T a, T b, int32_t c) { return c >= 0 ? a : b; }
};

/// Bitwise function of three inputs whose truth table is `detail`.
const MicroOp* lop3(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  uint32_t* out = lanes<uint32_t>(frame, op->slot[0]);
  const uint32_t* a = lanes<const uint32_t>(frame, op->slot[1]);
  const uint32_t* b = lanes<const uint32_t>(frame, op->slot[2]);
  const uint32_t* c = lanes<const uint32_t>(frame, op->slot[3]);
  uint32_t term[8];
  for (unsigned k = 0; k < 8; ++k)
    term[k] = op->detail >> k & 1 ? ~0u : 0;
  alignas(64) uint32_t result[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) {
    const uint32_t bc0 = b[i] & c[i], bc1 = b[i] & ~c[i], bc2 = ~b[i] & c[i], bc3 = ~b[i] & ~c[i];
    result[i] = (a[i] & ((bc0 & term[7]) | (bc1 & term[6]) | (bc2 & term[5]) | (bc3 & term[4]))) |
                (~a[i] & ((bc0 & term[3]) | (bc1 & term[2]) | (bc2 & term[1]) | (bc3 & term[0])));
  }
  if (mask == kAllLanes)
    std::memcpy(out, result, sizeof result);
  else
    blend(out, result, mask);
  return op + 1;
}

/// d = p ? a : b.
template <class T> const MicroOp* select(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  T* out = lanes<T>(frame, op->slot[0]);
  const T* a = lanes<const T>(frame, op->slot[1]);
  const T* b = lanes<const T>(frame, op->slot[2]);
  const Mask chosen = maskAt(frame, op->slot[3]) ^ (op->detail ? kAllLanes : 0);
  alignas(64) T result[kLanes];
  std::memcpy(result, b, sizeof result);
  blend(result, a, chosen);
  if (mask == kAllLanes)
    std::memcpy(out, result, sizeof result);
  else
    blend(out, result, mask);
  return op + 1;
}

struct CarrySum {
  /// `value` + `addend` + carry (or - addend - borrow), and the carry out.
  template <bool kSubtract, class U> static bool apply(U value, U addend, bool carry, U& sum) {
    bool first, second;
    if constexpr (kSubtract) {
      first = __builtin_sub_overflow(value, addend, &sum);
      second = __builtin_sub_overflow(sum, U(carry), &sum);
    } else {
      first = __builtin_add_overflow(value, addend, &sum);
      second = __builtin_add_overflow(sum, U(carry), &sum);
    }
    return first || second;
  }
};

enum class Product : uint8_t { None, Low, High };

template <class T, bool kSubtract, Product kProduct, bool kIn, bool kOut>
const MicroOp* carry(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  using U = Uint<T>;
  U* out = lanes<U>(frame, op->slot[0]);
  const T* a = lanes<const T>(frame, op->slot[1]);
  const T* b = lanes<const T>(frame, op->slot[2]);
  uint32_t& flags = maskAt(frame, kCarrySlot);
  Mask produced = 0;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned i = __builtin_ctz(rest);
    U left = U(a[i]), right = U(b[i]);
    if constexpr (kProduct != Product::None) {
      left = U(kProduct == Product::Low ? mulLow(a[i], b[i]) : mulHigh(a[i], b[i]));
      right = lanes<const U>(frame, op->slot[3])[i];
    }
    U sum;
    if (CarrySum::apply<kSubtract>(left, right, kIn && (flags >> i & 1), sum))
      produced |= 1u << i;
    out[i] = sum;
  }
  if (kOut)
    flags = (flags & ~mask) | produced;
  return op + 1;
}

template <class F> Handler unaryOf(Type type) {
  switch (type) {
  case Type::S16:
    return unary<F, int16_t, int16_t>;
  case Type::S32:
    return unary<F, int32_t, int32_t>;
  case Type::S64:
    return unary<F, int64_t, int64_t>;
  case Type::U16:
  case Type::B16:
    return unary<F, uint16_t, uint16_t>;
  case Type::U32:
  case Type::B32:
    return unary<F, uint32_t, uint32_t>;
  case Type::U64:
  case Type::B64:
    return unary<F, uint64_t, uint64_t>;
  default:
    return nullptr;
  }
}

template <class F> Handler binaryOf(Type type) {
  switch (type) {
  case Type::S16:
    return binary<F, int16_t, int16_t, int16_t>;
  case Type::S32:
    return binary<F, int32_t, int32_t, int32_t>;
  case Type::S64:
    return binary<F, int64_t, int64_t, int64_t>;
  case Type::U16:
  case Type::B16:
    return binary<F, uint16_t, uint16_t, uint16_t>;
  case Type::U32:
  case Type::B32:
    return binary<F, uint32_t, uint32_t, uint32_t>;
  case Type::U64:
  case Type::B64:
    return binary<F, uint64_t, uint64_t, uint64_t>;
  default:
    return nullptr;
  }
}

template <class F> Handler ternaryOf(Type type) {
  switch (type) {
  case Type::S16:
    return ternary<F, int16_t, int16_t, int16_t, int16_t>;
  case Type::S32:
    return ternary<F, int32_t, int32_t, int32_t, int32_t>;
  case Type::S64:
    return ternary<F, int64_t, int64_t, int64_t, int64_t>;
  case Type::U16:
    return ternary<F, uint16_t, uint16_t, uint16_t, uint16_t>;
  case Type::U32:
    return ternary<F, uint32_t, uint32_t, uint32_t, uint32_t>;
  case Type::U64:
    return ternary<F, uint64_t, uint64_t, uint64_t, uint64_t>;
  default:
    return nullptr;
  }
}

/// Operations whose result does not depend on the sign: half as many loops to compile.
Type unsignedOf(Type type) {
  switch (type) {
  case Type::S16:
  case Type::B16:
  case Type::F16:
  case Type::BF16:
    return Type::U16;
  case Type::S32:
  case Type::B32:
  case Type::F32:
  case Type::F16x2:
  case Type::BF16x2:
    return Type::U32;
  case Type::S64:
  case Type::B64:
  case Type::F64:
    return Type::U64;
  default:
    return type;
  }
}

template <class F> Handler shiftOf(Type type) {
  switch (type) {
  case Type::S16:
    return binary<F, int16_t, int16_t, uint32_t>;
  case Type::S32:
    return binary<F, int32_t, int32_t, uint32_t>;
  case Type::S64:
    return binary<F, int64_t, int64_t, uint32_t>;
  case Type::U16:
  case Type::B16:
    return binary<F, uint16_t, uint16_t, uint32_t>;
  case Type::U32:
  case Type::B32:
    return binary<F, uint32_t, uint32_t, uint32_t>;
  case Type::U64:
  case Type::B64:
    return binary<F, uint64_t, uint64_t, uint32_t>;
  default:
    return nullptr;
  }
}

Handler mulWide(Type type) {
  switch (type) {
  case Type::S16:
    return binary<MulWide, int32_t, int16_t, int16_t>;
  case Type::U16:
    return binary<MulWide, uint32_t, uint16_t, uint16_t>;
  case Type::S32:
    return binary<MulWide, int64_t, int32_t, int32_t>;
  case Type::U32:
    return binary<MulWide, uint64_t, uint32_t, uint32_t>;
  default:
    return nullptr;
  }
}

Handler madWide(Type type) {
  switch (type) {
  case Type::S16:
    return ternary<MadWide, int32_t, int16_t, int16_t, int32_t>;
  case Type::U16:
    return ternary<MadWide, uint32_t, uint16_t, uint16_t, uint32_t>;
  case Type::S32:
    return ternary<MadWide, int64_t, int32_t, int32_t, int64_t>;
  case Type::U32:
    return ternary<MadWide, uint64_t, uint32_t, uint32_t, uint64_t>;
  default:
    return nullptr;
  }
}

template <class F> Handler only32(Type type) {
  if (type == Type::S32)
    return binary<F, int32_t, int32_t, int32_t>;
  return type == Type::U32 ? Handler(binary<F, uint32_t, uint32_t, uint32_t>) : nullptr;
}
template <class F> Handler only32Ternary(Type type) {
  if (type == Type::S32)
    return ternary<F, int32_t, int32_t, int32_t, int32_t>;
  return type == Type::U32 ? Handler(ternary<F, uint32_t, uint32_t, uint32_t, uint32_t>) : nullptr;
}
template <class F> Handler signed32(Type type) {
  return type == Type::S32 ? Handler(binary<F, int32_t, int32_t, int32_t>) : nullptr;
}

template <bool kSubtract, Product kProduct, bool kIn, bool kOut> Handler carryOf(Type type) {
  switch (type) {
  case Type::S32:
    return carry<int32_t, kSubtract, kProduct, kIn, kOut>;
  case Type::U32:
  case Type::B32:
    return carry<uint32_t, kSubtract, kProduct, kIn, kOut>;
  case Type::S64:
    return carry<int64_t, kSubtract, kProduct, kIn, kOut>;
  case Type::U64:
  case Type::B64:
    return carry<uint64_t, kSubtract, kProduct, kIn, kOut>;
  default:
    return nullptr;
  }
}

Handler selectOf(Type type) {
  switch (unsignedOf(type)) {
  case Type::U16:
    return select<uint16_t>;
  case Type::U32:
    return select<uint32_t>;
  case Type::U64:
    return select<uint64_t>;
  default:
    return nullptr;
  }
}

Handler slctOf(Type type) {
  switch (unsignedOf(type)) {
  case Type::U16:
    return ternary<Slct, uint16_t, uint16_t, uint16_t, int32_t>;
  case Type::U32:
    return ternary<Slct, uint32_t, uint32_t, uint32_t, int32_t>;
  case Type::U64:
    return ternary<Slct, uint64_t, uint64_t, uint64_t, int32_t>;
  default:
    return nullptr;
  }
}

Handler carryHandler(IntegerOp op, Type type) {
  switch (op) {
  case IntegerOp::AddOut:
    return carryOf<false, Product::None, false, true>(type);
  case IntegerOp::AddIn:
    return carryOf<false, Product::None, true, false>(type);
  case IntegerOp::AddInOut:
    return carryOf<false, Product::None, true, true>(type);
  case IntegerOp::SubOut:
    return carryOf<true, Product::None, false, true>(type);
  case IntegerOp::SubIn:
    return carryOf<true, Product::None, true, false>(type);
  case IntegerOp::SubInOut:
    return carryOf<true, Product::None, true, true>(type);
  case IntegerOp::MadLoOut:
    return carryOf<false, Product::Low, false, true>(type);
  case IntegerOp::MadLoIn:
    return carryOf<false, Product::Low, true, false>(type);
  case IntegerOp::MadLoInOut:
    return carryOf<false, Product::Low, true, true>(type);
  case IntegerOp::MadHiOut:
    return carryOf<false, Product::High, false, true>(type);
  case IntegerOp::MadHiIn:
    return carryOf<false, Product::High, true, false>(type);
  case IntegerOp::MadHiInOut:
    return carryOf<false, Product::High, true, true>(type);
  default:
    return nullptr;
  }
}

Handler multiplyHandler(IntegerOp op, Type type) {
  switch (op) {
  case IntegerOp::MulLo:
    return binaryOf<MulLo>(unsignedOf(type));
  case IntegerOp::MulHi:
    return binaryOf<MulHi>(type);
  case IntegerOp::MulWide:
    return mulWide(type);
  case IntegerOp::MadLo:
    return ternaryOf<MadLo>(unsignedOf(type));
  case IntegerOp::MadHi:
    return ternaryOf<MadHi>(type);
  case IntegerOp::MadWide:
    return madWide(type);
  case IntegerOp::MadHiSat:
    return type == Type::S32 ? Handler(ternary<MadHiSat, int32_t, int32_t, int32_t, int32_t>)
                             : nullptr;
  case IntegerOp::Mul24Lo:
    return only32<Mul24Lo>(type);
  case IntegerOp::Mul24Hi:
    return only32<Mul24Hi>(type);
  case IntegerOp::Mad24Lo:
    return only32Ternary<Mad24Lo>(type);
  case IntegerOp::Mad24Hi:
    return only32Ternary<Mad24Hi>(type);
  case IntegerOp::Mad24HiSat:
    return type == Type::S32 ? Handler(ternary<Mad24HiSat, int32_t, int32_t, int32_t, int32_t>)
                             : nullptr;
  case IntegerOp::Sad:
    return ternaryOf<Sad>(type);
  default:
    return carryHandler(op, type);
  }
}

} // namespace

Handler integerHandler(IntegerOp op, Type type) {
  switch (op) {
  case IntegerOp::Add:
    return binaryOf<Add>(unsignedOf(type));
  case IntegerOp::Sub:
    return binaryOf<Sub>(unsignedOf(type));
  case IntegerOp::AddSat:
    return signed32<AddSat>(type);
  case IntegerOp::SubSat:
    return signed32<SubSat>(type);
  case IntegerOp::Div:
    return binaryOf<Div>(type);
  case IntegerOp::Rem:
    return binaryOf<Rem>(type);
  case IntegerOp::Abs:
    return unaryOf<Abs>(type);
  case IntegerOp::Neg:
    return unaryOf<Neg>(unsignedOf(type));
  case IntegerOp::Min:
    return binaryOf<Min>(type);
  case IntegerOp::Max:
    return binaryOf<Max>(type);
  case IntegerOp::MinRelu:
    return signed32<MinRelu>(type);
  case IntegerOp::MaxRelu:
    return signed32<MaxRelu>(type);
  case IntegerOp::And:
    return binaryOf<And>(unsignedOf(type));
  case IntegerOp::Or:
    return binaryOf<Or>(unsignedOf(type));
  case IntegerOp::Xor:
    return binaryOf<Xor>(unsignedOf(type));
  case IntegerOp::Not:
    return unaryOf<Not>(unsignedOf(type));
  case IntegerOp::Cnot:
    return unaryOf<Cnot>(unsignedOf(type));
  case IntegerOp::Mov:
    return unaryOf<Mov>(unsignedOf(type));
  case IntegerOp::Shl:
    return shiftOf<Shl>(unsignedOf(type));
  case IntegerOp::Shr:
    return shiftOf<Shr>(type);
  case IntegerOp::Lop3:
    return unsignedOf(type) == Type::U32 ? lop3 : nullptr;
  case IntegerOp::Select:
    return selectOf(type);
  case IntegerOp::Slct:
    return slctOf(type);
  default:
    break;
  }
  const Handler bits = integerBitsHandler(op, type);
  return bits ? bits : multiplyHandler(op, type);
}

} // namespace gpusched::cpu::GPUSCHED_ISA
