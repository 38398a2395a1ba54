// ExecuteConvert.cpp - cvt between integers, f16, bf16, f32 and f64.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoder has put source and destination in slots of exactly their type's width (8-bit
// types in 16 bits), so a conversion here is between two C++ types. Float to integer
// saturates; NaN becomes 0, or the largest power of two when f64 or a 64-bit integer is
// involved, as PTX says.
#include "rt/device/cpu/engine/HalfBits.h"
#include "rt/device/cpu/engine/IsaParts.h"
#include "rt/device/cpu/engine/Lanes.h"
#include "rt/device/cpu/engine/RoundingMode.h"

#include <type_traits>

namespace gpusched::cpu::GPUSCHED_ISA {
namespace {

using ptx::Type;

/// Integers: 8-bit types occupy 16-bit slots whose upper half is not trusted.
template <Type kType> struct Slot;
template <> struct Slot<Type::U8> {
  using Stored = uint16_t;
  using Value = uint8_t;
};
template <> struct Slot<Type::S8> {
  using Stored = int16_t;
  using Value = int8_t;
};
template <> struct Slot<Type::U16> {
  using Stored = uint16_t;
  using Value = uint16_t;
};
template <> struct Slot<Type::S16> {
  using Stored = int16_t;
  using Value = int16_t;
};
template <> struct Slot<Type::U32> {
  using Stored = uint32_t;
  using Value = uint32_t;
};
template <> struct Slot<Type::S32> {
  using Stored = int32_t;
  using Value = int32_t;
};
template <> struct Slot<Type::U64> {
  using Stored = uint64_t;
  using Value = uint64_t;
};
template <> struct Slot<Type::S64> {
  using Stored = int64_t;
  using Value = int64_t;
};
template <> struct Slot<Type::F32> {
  using Stored = float;
  using Value = float;
};
template <> struct Slot<Type::F64> {
  using Stored = double;
  using Value = double;
};
template <Type kType> using Stored = typename Slot<kType>::Stored;
template <Type kType> using Value = typename Slot<kType>::Value;

template <class V> struct Limits {
  static constexpr bool kSigned = V(-1) < V(0);
  static constexpr unsigned kBits = sizeof(V) * 8;
  static constexpr V kMax = kSigned ? V((uint64_t(1) << (kBits - 1)) - 1) : V(~uint64_t(0));
  static constexpr V kMin = kSigned ? V(uint64_t(1) << (kBits - 1)) : V(0);
};

template <Type kTo, Type kFrom, bool kSaturate> struct IntegerToInteger {
  static Stored<kTo> apply(Stored<kFrom> stored) {
    using To = Value<kTo>;
    using From = Value<kFrom>;
    const From value = From(stored);
    if constexpr (kSaturate) {
      const __int128 wide = value, low = Limits<To>::kMin, high = Limits<To>::kMax;
      return Stored<kTo>(To(wide < low ? low : wide > high ? high : wide));
    }
    return Stored<kTo>(To(value));
  }
};

template <Type kTo, Type kFrom> struct IntegerToFloat {
  static Stored<kTo> apply(Stored<kFrom> stored) { return Stored<kTo>(Value<kFrom>(stored)); }
};

template <Rounding kRounding, class T> inline T toIntegral(T value) {
  switch (kRounding) {
  case Rounding::Nearest:
    return sizeof(T) == 4 ? T(__builtin_rintf(float(value))) : T(__builtin_rint(value));
  case Rounding::Zero:
    return sizeof(T) == 4 ? T(__builtin_truncf(float(value))) : T(__builtin_trunc(value));
  case Rounding::Down:
    return sizeof(T) == 4 ? T(__builtin_floorf(float(value))) : T(__builtin_floor(value));
  case Rounding::Up:
    return sizeof(T) == 4 ? T(__builtin_ceilf(float(value))) : T(__builtin_ceil(value));
  }
  return value;
}

template <Type kTo, Type kFrom, Rounding kRounding> struct FloatToInteger {
  static Stored<kTo> apply(Stored<kFrom> value) {
    using To = Value<kTo>;
    constexpr bool kWide = kFrom == Type::F64 || sizeof(To) == 8;
    // Powers of two, so exact in either format.
    const Stored<kFrom> above = Limits<To>::kSigned
                                    ? -Stored<kFrom>(Limits<To>::kMin)
                                    : 2 * Stored<kFrom>(uint64_t(1) << (Limits<To>::kBits - 1));
    const Stored<kFrom> rounded = toIntegral<kRounding>(value);
    if (value != value)
      return kWide ? Stored<kTo>(To(uint64_t(1) << (Limits<To>::kBits - 1))) : 0;
    if (rounded >= above)
      return Stored<kTo>(Limits<To>::kMax);
    if (rounded < Stored<kFrom>(Limits<To>::kMin))
      return Stored<kTo>(Limits<To>::kMin);
    return Stored<kTo>(To(rounded));
  }
};

template <Type kType, Rounding kRounding> struct RoundToIntegral {
  static Stored<kType> apply(Stored<kType> value) { return toIntegral<kRounding>(value); }
};
struct Widen {
  static double apply(float value) { return value; }
};
struct Narrow {
  static float apply(double value) { return float(value); }
};
template <class T> struct Copy {
  static T apply(T value) { return value; }
};

/// Any float lane as a double; flush applies to f32 only.
struct ReadHalf {
  using Stored = uint16_t;
  static double apply(uint16_t bits, bool) { return Half::toDouble(bits); }
};
struct ReadBrain {
  using Stored = uint16_t;
  static double apply(uint16_t bits, bool) { return Brain::toDouble(bits); }
};
struct ReadFloat {
  using Stored = float;
  static double apply(float value, bool ftz) { return ftz ? flush(value) : value; }
};
struct ReadDouble {
  using Stored = double;
  static double apply(double value, bool) { return value; }
};
/// Bits that a double has no room for become its last bit, so that it is rounded only once.
template <Type kFrom> struct ReadInteger {
  using Stored = gpusched::cpu::GPUSCHED_ISA::Stored<kFrom>;
  static double apply(Stored stored, bool) {
    const Value<kFrom> value = Value<kFrom>(stored);
    if constexpr (sizeof(value) < 8)
      return double(value);
    const bool negative = kFrom == Type::S64 && int64_t(value) < 0;
    const uint64_t magnitude = negative ? 0 - uint64_t(value) : uint64_t(value);
    const double wide = magnitude >> 53
                            ? double(magnitude >> 11 | ((magnitude & 0x7ff) != 0)) * 2048.0
                            : double(magnitude);
    return negative ? -wide : wide;
  }
};
/// kLargest: .satfinite turns what would become infinite into it.
struct WriteHalf {
  using Stored = uint16_t;
  static constexpr double kLargest = 65504.0;
  static uint16_t apply(double value, Rounding r) { return Half::fromDouble(value, r); }
};
struct WriteBrain {
  using Stored = uint16_t;
  static constexpr double kLargest = 0x1.fep127;
  static uint16_t apply(double value, Rounding r) { return Brain::fromDouble(value, r); }
};
struct WriteFloat {
  using Stored = float;
  static constexpr double kLargest = 0x1.fffffep127;
  static float apply(double value, Rounding) { return float(value); }
};
struct WriteDouble {
  using Stored = double;
  static constexpr double kLargest = 0x1.fffffffffffffp1023;
  static double apply(double value, Rounding) { return value; }
};

inline double clampTo(double value, double largest) {
  return value > largest ? largest : value < -largest ? -largest : value;
}

/// detail: rounding | flush << 2 | saturate << 3 | relu << 4 | round to an integer << 5 |
/// finite << 6.
template <class Write, class Read>
const MicroOp* throughDouble(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  const Rounding rounding = static_cast<Rounding>(op->detail & 3);
  typename Write::Stored* out = lanes<typename Write::Stored>(frame, op->slot[0]);
  const typename Read::Stored* in = lanes<typename Read::Stored>(frame, op->slot[1]);
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned i = __builtin_ctz(rest);
    double value = Read::apply(in[i], op->detail & 4);
    if (op->detail & 32)
      value = rounding == Rounding::Nearest ? __builtin_rint(value)
              : rounding == Rounding::Zero  ? __builtin_trunc(value)
              : rounding == Rounding::Down  ? __builtin_floor(value)
                                            : __builtin_ceil(value);
    if (op->detail & 8)
      value = saturate(value);
    if (op->detail & 16)
      value = value > 0 || value != value ? value : 0;
    if (op->detail & 64)
      value = clampTo(value, Write::kLargest);
    out[i] = Write::apply(value, rounding);
  }
  return op + 1;
}

/// cvt.f16x2.f32 d, a, b: a in the upper half.
template <class Write> const MicroOp* pack(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  const Rounding rounding = static_cast<Rounding>(op->detail & 3);
  uint32_t* out = lanes<uint32_t>(frame, op->slot[0]);
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned i = __builtin_ctz(rest);
    double value[2] = {lanes<const float>(frame, op->slot[2])[i],
                       lanes<const float>(frame, op->slot[1])[i]};
    for (double& half : value) {
      if (op->detail & 16)
        half = half > 0 || half != half ? half : 0;
      if (op->detail & 64)
        half = clampTo(half, Write::kLargest);
    }
    out[i] = Write::apply(value[0], rounding) | uint32_t(Write::apply(value[1], rounding)) << 16;
  }
  return op + 1;
}

/// Eleven significant bits. detail: as throughDouble's, with bit 7 for ties away from zero.
const MicroOp* toTf32(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  const Rounding rounding = static_cast<Rounding>(op->detail & 3);
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned i = __builtin_ctz(rest);
    uint32_t bits = lanes<const uint32_t>(frame, op->slot[1])[i];
    if ((bits & kExponent32) == kExponent32 && bits & 0x7fffff) {
      bits = kNan32;
    } else {
      if (op->detail & 16 && bits & kSign32)
        bits = 0;
      const uint32_t half = op->detail & 128             ? 0x1000
                            : rounding == Rounding::Zero ? 0
                                                         : 0xfff + (bits >> 13 & 1);
      if ((bits & kExponent32) != kExponent32)
        bits += half;
      if (op->detail & 64 && (bits & kExponent32) == kExponent32)
        bits = (bits & kSign32) | 0x7f7fe000;
    }
    lanes<uint32_t>(frame, op->slot[0])[i] = bits & 0xffffe000;
  }
  return op + 1;
}

template <class F, class D, class A> constexpr Handler loop() {
  return unary<F, D, A>;
}

template <Type kTo, Type kFrom> Handler integerToInteger(const ConvertForm& form) {
  if (form.saturate)
    return unary<IntegerToInteger<kTo, kFrom, true>, Stored<kTo>, Stored<kFrom>>;
  return unary<IntegerToInteger<kTo, kFrom, false>, Stored<kTo>, Stored<kFrom>>;
}
/// Clang converts unsigned integers by a subtraction that makes -0 of 0 when results round down. It
/// knows that none is negative, so the sign is only cleared by what does not know where it is from.
template <Type kTo, Type kFrom>
const MicroOp* unsignedDown(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  using Bits = Uint<Stored<kTo>>;
  const MicroOp* const next =
      rounded<loop<IntegerToFloat<kTo, kFrom>, Stored<kTo>, Stored<kFrom>>(), Rounding::Down>(
          frame, op, mask, warp);
  Bits* const out = lanes<Bits>(frame, op->slot[0]);
  for (unsigned i = 0; i < kLanes; ++i)
    out[i] &= ~(Bits(mask >> i & 1) << (sizeof(Bits) * 8 - 1));
  return next;
}

template <Type kTo, Type kFrom> Handler integerToFloat(const ConvertForm& form) {
  if (std::is_unsigned_v<Value<kFrom>> && form.rounding == Rounding::Down)
    return unsignedDown<kTo, kFrom>;
  return withRounding<loop<IntegerToFloat<kTo, kFrom>, Stored<kTo>, Stored<kFrom>>()>(
      form.rounding);
}
template <Type kTo, Type kFrom> Handler floatToInteger(const ConvertForm& form) {
  switch (form.rounding) {
  case Rounding::Nearest:
    return unary<FloatToInteger<kTo, kFrom, Rounding::Nearest>, Stored<kTo>, Stored<kFrom>>;
  case Rounding::Zero:
    return unary<FloatToInteger<kTo, kFrom, Rounding::Zero>, Stored<kTo>, Stored<kFrom>>;
  case Rounding::Down:
    return unary<FloatToInteger<kTo, kFrom, Rounding::Down>, Stored<kTo>, Stored<kFrom>>;
  case Rounding::Up:
    return unary<FloatToInteger<kTo, kFrom, Rounding::Up>, Stored<kTo>, Stored<kFrom>>;
  }
  return nullptr;
}

template <Type kFrom> Handler fromInteger(const ConvertForm& form) {
  switch (form.to) {
  case Type::U8:
    return integerToInteger<Type::U8, kFrom>(form);
  case Type::S8:
    return integerToInteger<Type::S8, kFrom>(form);
  case Type::U16:
    return integerToInteger<Type::U16, kFrom>(form);
  case Type::S16:
    return integerToInteger<Type::S16, kFrom>(form);
  case Type::U32:
    return integerToInteger<Type::U32, kFrom>(form);
  case Type::S32:
    return integerToInteger<Type::S32, kFrom>(form);
  case Type::U64:
    return integerToInteger<Type::U64, kFrom>(form);
  case Type::S64:
    return integerToInteger<Type::S64, kFrom>(form);
  case Type::F32:
    return form.saturate ? nullptr : integerToFloat<Type::F32, kFrom>(form);
  case Type::F64:
    return form.saturate ? nullptr : integerToFloat<Type::F64, kFrom>(form);
  case Type::F16:
    return throughDouble<WriteHalf, ReadInteger<kFrom>>;
  case Type::BF16:
    return throughDouble<WriteBrain, ReadInteger<kFrom>>;
  default:
    return nullptr;
  }
}

template <Type kFrom> Handler toInteger(const ConvertForm& form) {
  switch (form.to) {
  case Type::U8:
    return floatToInteger<Type::U8, kFrom>(form);
  case Type::S8:
    return floatToInteger<Type::S8, kFrom>(form);
  case Type::U16:
    return floatToInteger<Type::U16, kFrom>(form);
  case Type::S16:
    return floatToInteger<Type::S16, kFrom>(form);
  case Type::U32:
    return floatToInteger<Type::U32, kFrom>(form);
  case Type::S32:
    return floatToInteger<Type::S32, kFrom>(form);
  case Type::U64:
    return floatToInteger<Type::U64, kFrom>(form);
  case Type::S64:
    return floatToInteger<Type::S64, kFrom>(form);
  default:
    return nullptr;
  }
}

template <class Read> Handler fromFloat(const ConvertForm& form) {
  switch (form.to) {
  case Type::F16:
    return throughDouble<WriteHalf, Read>;
  case Type::BF16:
    return throughDouble<WriteBrain, Read>;
  case Type::F32:
    return withRounding<throughDouble<WriteFloat, Read>>(form.integerRounding ? Rounding::Nearest
                                                                              : form.rounding);
  case Type::F64:
    return throughDouble<WriteDouble, Read>;
  default:
    return nullptr;
  }
}

bool plain(const ConvertForm& form) {
  return !form.integerRounding && !form.flush && !form.saturate && !form.relu && !form.finite;
}

Handler fromAnyFloat(const ConvertForm& form) {
  switch (form.from) {
  case Type::F32:
    if (form.to == Type::F64 && plain(form))
      return unary<Widen, double, float>;
    return form.to >= Type::F16 ? fromFloat<ReadFloat>(form) : toInteger<Type::F32>(form);
  case Type::F64:
    if (form.to == Type::F32 && plain(form))
      return withRounding<loop<Narrow, float, double>()>(form.rounding);
    return form.to >= Type::F16 ? fromFloat<ReadDouble>(form) : toInteger<Type::F64>(form);
  case Type::F16:
    return fromFloat<ReadHalf>(form);
  case Type::BF16:
    return fromFloat<ReadBrain>(form);
  default:
    return nullptr;
  }
}

Handler packHandler(const ConvertForm& form) {
  if (form.from != Type::F32)
    return nullptr;
  return form.to == Type::F16x2    ? pack<WriteHalf>
         : form.to == Type::BF16x2 ? pack<WriteBrain>
                                   : nullptr;
}

template <class D, class A> struct Resize {
  static D apply(A value) { return D(value); }
};
template <class D> Handler resizeTo(unsigned fromBytes, bool isSigned) {
  switch (fromBytes) {
  case 2:
    return isSigned ? unary<Resize<D, int16_t>, D, int16_t>
                    : unary<Resize<D, uint16_t>, D, uint16_t>;
  case 4:
    return isSigned ? unary<Resize<D, int32_t>, D, int32_t>
                    : unary<Resize<D, uint32_t>, D, uint32_t>;
  case 8:
    return unary<Resize<D, uint64_t>, D, uint64_t>;
  default:
    return nullptr;
  }
}

} // namespace

Handler convertHandler(const ConvertForm& form) {
  if (form.to == Type::F16x2 || form.to == Type::BF16x2)
    return packHandler(form);
  if (form.to == Type::TF32) {
    const bool known = form.rounding == Rounding::Nearest || form.rounding == Rounding::Zero;
    return form.from == Type::F32 && known ? toTf32 : nullptr;
  }
  switch (form.from) {
  case Type::U8:
    return fromInteger<Type::U8>(form);
  case Type::S8:
    return fromInteger<Type::S8>(form);
  case Type::U16:
    return fromInteger<Type::U16>(form);
  case Type::S16:
    return fromInteger<Type::S16>(form);
  case Type::U32:
    return fromInteger<Type::U32>(form);
  case Type::S32:
    return fromInteger<Type::S32>(form);
  case Type::U64:
    return fromInteger<Type::U64>(form);
  case Type::S64:
    return fromInteger<Type::S64>(form);
  default:
    return fromAnyFloat(form);
  }
}

Handler resizeHandler(unsigned toBytes, unsigned fromBytes, bool isSigned) {
  switch (toBytes) {
  case 2:
    return resizeTo<uint16_t>(fromBytes, isSigned);
  case 4:
    return resizeTo<uint32_t>(fromBytes, isSigned);
  case 8:
    return resizeTo<uint64_t>(fromBytes, isSigned);
  default:
    return nullptr;
  }
}

} // namespace gpusched::cpu::GPUSCHED_ISA
