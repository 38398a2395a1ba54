// ExecuteCompare.cpp - setp, set, testp and predicate logic.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A comparison makes one 32-bit mask; only the lanes that execute change in the destination.
#include "rt/device/cpu/engine/FloatBits.h"
#include "rt/device/cpu/engine/IsaParts.h"
#include "rt/device/cpu/engine/Lanes.h"

namespace gpusched::cpu::GPUSCHED_ISA {
namespace {

using ptx::Type;

template <class T> inline bool unordered(T a, T b) {
  return a != a || b != b;
}
struct Eq {
  template <class T> static bool apply(T a, T b) { return a == b; }
};
struct Ne {
  template <class T> static bool apply(T a, T b) { return (a < b) | (a > b); }
};
struct Lt {
  template <class T> static bool apply(T a, T b) { return a < b; }
};
struct Le {
  template <class T> static bool apply(T a, T b) { return a <= b; }
};
struct Gt {
  template <class T> static bool apply(T a, T b) { return a > b; }
};
struct Ge {
  template <class T> static bool apply(T a, T b) { return a >= b; }
};
struct NeInteger {
  template <class T> static bool apply(T a, T b) { return a != b; }
};
struct Equ {
  template <class T> static bool apply(T a, T b) { return !Ne::apply(a, b); }
};
struct Neu {
  template <class T> static bool apply(T a, T b) { return a != b; }
};
struct Ltu {
  template <class T> static bool apply(T a, T b) { return !(a >= b); }
};
struct Leu {
  template <class T> static bool apply(T a, T b) { return !(a > b); }
};
struct Gtu {
  template <class T> static bool apply(T a, T b) { return !(a <= b); }
};
struct Geu {
  template <class T> static bool apply(T a, T b) { return !(a < b); }
};
struct Num {
  template <class T> static bool apply(T a, T b) { return !unordered(a, b); }
};
struct Nan {
  template <class T> static bool apply(T a, T b) { return unordered(a, b); }
};

template <class F> struct Flushed {
  static bool apply(float a, float b) { return F::apply(flush(a), flush(b)); }
};

template <class F> Handler integerOf(Type type) {
  switch (type) {
  case Type::S16:
    return compare<F, int16_t>;
  case Type::S32:
    return compare<F, int32_t>;
  case Type::S64:
    return compare<F, int64_t>;
  case Type::U16:
  case Type::B16:
    return compare<F, uint16_t>;
  case Type::U32:
  case Type::B32:
    return compare<F, uint32_t>;
  case Type::U64:
  case Type::B64:
    return compare<F, uint64_t>;
  default:
    return nullptr;
  }
}
template <class F> Handler floatOf(Type type, bool flush) {
  if (type == Type::F64)
    return compare<F, double>;
  if (type != Type::F32)
    return nullptr;
  return flush ? compare<Flushed<F>, float> : compare<F, float>;
}

/// set: the predicate in slot 4 becomes all ones, or 1.0f, in slot 0.
template <class T> const MicroOp* setMask(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  const Mask value = maskAt(frame, op->slot[4]);
  const T one = op->detail ? T(op->immediate) : T(-1);
  T* out = lanes<T>(frame, op->slot[0]);
  for (unsigned i = 0; i < kLanes; ++i)
    if (mask >> i & 1)
      out[i] = value >> i & 1 ? one : T(0);
  return op + 1;
}

template <PredicateOp kOp>
const MicroOp* predicate(uint8_t* frame, const MicroOp* op, Mask mask, Warp&) {
  const Mask a = maskAt(frame, op->slot[1]) ^ (op->detail & 1 ? kAllLanes : 0);
  const Mask b = maskAt(frame, op->slot[2]) ^ (op->detail & 2 ? kAllLanes : 0);
  const Mask value = kOp == PredicateOp::And   ? a & b
                     : kOp == PredicateOp::Or  ? a | b
                     : kOp == PredicateOp::Xor ? a ^ b
                     : kOp == PredicateOp::Not ? ~a
                                               : a;
  uint32_t& out = maskAt(frame, op->slot[0]);
  out = (out & ~mask) | (value & mask);
  return op + 1;
}

template <class T> struct Layout;
template <> struct Layout<float> {
  static constexpr uint32_t kExponent = 0x7f800000, kSign = 0x80000000;
};
template <> struct Layout<double> {
  static constexpr uint64_t kExponent = 0x7ff0000000000000, kSign = 0x8000000000000000;
};
template <class T, TestOp kOp> struct Test {
  static bool apply(T value, T) {
    Uint<T> bits;
    std::memcpy(&bits, &value, sizeof bits);
    const Uint<T> magnitude = bits & ~Layout<T>::kSign, exponent = bits & Layout<T>::kExponent;
    switch (kOp) {
    case TestOp::Finite:
      return exponent != Layout<T>::kExponent;
    case TestOp::Infinite:
      return magnitude == Layout<T>::kExponent;
    case TestOp::Number:
      return magnitude <= Layout<T>::kExponent;
    case TestOp::NotANumber:
      return magnitude > Layout<T>::kExponent;
    case TestOp::Normal:
      return exponent != 0 && exponent != Layout<T>::kExponent;
    case TestOp::Subnormal:
      return exponent == 0 && magnitude != 0;
    }
    return false;
  }
};
template <TestOp kOp> Handler testOf(Type type) {
  if (type == Type::F32)
    return compare<Test<float, kOp>, float>;
  return type == Type::F64 ? Handler(compare<Test<double, kOp>, double>) : nullptr;
}

} // namespace

Handler compareIntegerHandler(Comparison comparison, Type type) {
  switch (comparison) {
  case Comparison::Eq:
    return integerOf<Eq>(type);
  case Comparison::Ne:
    return integerOf<NeInteger>(type);
  case Comparison::Lt:
    return integerOf<Lt>(type);
  case Comparison::Le:
    return integerOf<Le>(type);
  case Comparison::Gt:
    return integerOf<Gt>(type);
  case Comparison::Ge:
    return integerOf<Ge>(type);
  default:
    return nullptr;
  }
}

Handler compareFloatHandler(Comparison comparison, Type type, bool flush) {
  switch (comparison) {
  case Comparison::Eq:
    return floatOf<Eq>(type, flush);
  case Comparison::Ne:
    return floatOf<Ne>(type, flush);
  case Comparison::Lt:
    return floatOf<Lt>(type, flush);
  case Comparison::Le:
    return floatOf<Le>(type, flush);
  case Comparison::Gt:
    return floatOf<Gt>(type, flush);
  case Comparison::Ge:
    return floatOf<Ge>(type, flush);
  case Comparison::Equ:
    return floatOf<Equ>(type, flush);
  case Comparison::Neu:
    return floatOf<Neu>(type, flush);
  case Comparison::Ltu:
    return floatOf<Ltu>(type, flush);
  case Comparison::Leu:
    return floatOf<Leu>(type, flush);
  case Comparison::Gtu:
    return floatOf<Gtu>(type, flush);
  case Comparison::Geu:
    return floatOf<Geu>(type, flush);
  case Comparison::Num:
    return floatOf<Num>(type, flush);
  case Comparison::Nan:
    return floatOf<Nan>(type, flush);
  }
  return nullptr;
}

Handler setMaskHandler(Type result) {
  switch (ptx::sizeInBytes(result)) {
  case 2:
    return setMask<uint16_t>;
  case 4:
    return setMask<uint32_t>;
  default:
    return nullptr;
  }
}

Handler testHandler(TestOp op, Type type) {
  switch (op) {
  case TestOp::Finite:
    return testOf<TestOp::Finite>(type);
  case TestOp::Infinite:
    return testOf<TestOp::Infinite>(type);
  case TestOp::Number:
    return testOf<TestOp::Number>(type);
  case TestOp::NotANumber:
    return testOf<TestOp::NotANumber>(type);
  case TestOp::Normal:
    return testOf<TestOp::Normal>(type);
  case TestOp::Subnormal:
    return testOf<TestOp::Subnormal>(type);
  }
  return nullptr;
}

Handler predicateHandler(PredicateOp op) {
  switch (op) {
  case PredicateOp::And:
    return predicate<PredicateOp::And>;
  case PredicateOp::Or:
    return predicate<PredicateOp::Or>;
  case PredicateOp::Xor:
    return predicate<PredicateOp::Xor>;
  case PredicateOp::Not:
    return predicate<PredicateOp::Not>;
  case PredicateOp::Mov:
    return predicate<PredicateOp::Mov>;
  }
  return nullptr;
}

} // namespace gpusched::cpu::GPUSCHED_ISA
