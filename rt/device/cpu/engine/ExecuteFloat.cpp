// ExecuteFloat.cpp - f32 and f64 arithmetic.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// add, sub, mul, fma, div, sqrt and rcp are the host's correctly rounded operations; the other
// rounding modes set MXCSR around the same loops. The approximate functions are the host's
// libm, which is closer to the true value than a GPU's and never identical to it.
// A NaN that f32 arithmetic gives is 0x7fffffff, as on a GPU; f64 keeps the first operand's that is
// one.
#include "rt/device/cpu/engine/FloatBits.h"
#include "rt/device/cpu/engine/IsaParts.h"
#include "rt/device/cpu/engine/Lanes.h"
#include "rt/device/cpu/engine/RoundingMode.h"

namespace gpusched::cpu::GPUSCHED_ISA {
namespace {

using ptx::Type;

inline float fusedMultiplyAdd(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline double fusedMultiplyAdd(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
inline float squareRoot(float a) {
  return __builtin_sqrtf(a);
}
inline double squareRoot(double a) {
  return __builtin_sqrt(a);
}

/// The NaN that an operation gives: of two NaNs a host keeps either.
inline float canonical(float result) {
  return result == result ? result : asFloat(kNan32);
}
inline double canonical(double result) {
  return result;
}
inline float keepNan(float result, float, float) {
  return canonical(result);
}
inline double keepNan(double result, double a, double b) {
  return a != a ? quiet(a) : b != b ? quiet(b) : result;
}

struct Add {
  template <class T> static T apply(T a, T b) { return keepNan(a + b, a, b); }
};
struct Sub {
  template <class T> static T apply(T a, T b) { return keepNan(a - b, a, b); }
};
struct Mul {
  template <class T> static T apply(T a, T b) { return keepNan(a * b, a, b); }
};
struct Div {
  template <class T> static T apply(T a, T b) { return keepNan(a / b, a, b); }
};
struct Fma {
  template <class T> static T apply(T a, T b, T c) {
    return keepNan(fusedMultiplyAdd(a, b, c), a, b);
  }
};
struct Rcp {
  template <class T> static T apply(T a) { return canonical(T(1) / a); }
};
struct Sqrt {
  template <class T> static T apply(T a) { return canonical(squareRoot(a)); }
};
struct Rsqrt {
  template <class T> static T apply(T a) { return canonical(T(1) / squareRoot(a)); }
};
struct Abs {
  template <class T> static T apply(T a) { return copySign(a, T(0)); }
};
struct Neg {
  template <class T> static T apply(T a) { return -a; }
};
struct CopySign {
  template <class T> static T apply(T a, T b) { return copySign(b, a); }
};

/// One NaN: the other operand. Two: NaN. -0 is less than +0.
template <bool kMax, bool kNan, bool kXorSign> struct MinMax {
  template <class T> static T apply(T a, T b) {
    T result;
    if constexpr (kMax)
      result = a > b ? a : b > a ? b : (__builtin_signbit(a) ? b : a);
    else
      result = a < b ? a : b < a ? b : (__builtin_signbit(a) ? a : b);
    if constexpr (kXorSign) {
      const T x = copySign(a, T(0)), y = copySign(b, T(0));
      result = kMax ? (x > y ? x : y) : (x < y ? x : y);
    }
    if (a != a)
      result = kNan ? a : b;
    if (b != b)
      result = kNan || a != a ? b : a;
    if constexpr (kXorSign) {
      const T sign = __builtin_signbit(a) != __builtin_signbit(b) ? T(-1) : T(1);
      if (result == result)
        result = copySign(result, sign);
    }
    return result;
  }
};
template <bool kMax, bool kNan> struct MinMax3 {
  template <class T> static T apply(T a, T b, T c) {
    using Two = MinMax<kMax, kNan, false>;
    return Two::apply(Two::apply(a, b), c);
  }
};
struct Slct {
  template <class T> static T apply(T a, T b, float c) { return c >= 0 ? a : b; }
};

struct Sin {
  static float apply(float a) { return canonical(__builtin_sinf(a)); }
};
struct Cos {
  static float apply(float a) { return canonical(__builtin_cosf(a)); }
};
struct Ex2 {
  static float apply(float a) { return canonical(__builtin_exp2f(a)); }
};
struct Lg2 {
  static float apply(float a) { return canonical(__builtin_log2f(a)); }
};
struct Tanh {
  static float apply(float a) { return canonical(__builtin_tanhf(a)); }
};

/// Wraps one lane of F with .ftz and .sat.
template <class F, bool kFlush, bool kSaturate> struct Modified {
  template <class T> static T in(T value) { return kFlush ? flush(value) : value; }
  template <class T> static T out(T value) {
    const T flushed = kFlush ? flush(value) : value;
    return kSaturate ? saturate(flushed) : flushed;
  }
  template <class T> static T apply(T a) { return out(F::apply(in(a))); }
  template <class T> static T apply(T a, T b) { return out(F::apply(in(a), in(b))); }
  template <class T> static T apply(T a, T b, T c) { return out(F::apply(in(a), in(b), in(c))); }
};

template <class F, unsigned kOperands, class T> constexpr Handler loop() {
  if constexpr (kOperands == 1)
    return unary<F, T, T>;
  else if constexpr (kOperands == 2)
    return binary<F, T, T, T>;
  else
    return ternary<F, T, T, T, T>;
}

template <class F, unsigned kOperands, class T> Handler rounding(Rounding mode) {
  return withRounding<loop<F, kOperands, T>()>(mode);
}

/// Arithmetic: all types, modifiers and rounding modes.
template <class F, unsigned kOperands> Handler arithmetic(const FloatForm& form) {
  if (form.type == Type::F64)
    return rounding<F, kOperands, double>(form.rounding);
  if (form.flush && form.saturate)
    return rounding<Modified<F, true, true>, kOperands, float>(form.rounding);
  if (form.flush)
    return rounding<Modified<F, true, false>, kOperands, float>(form.rounding);
  if (form.saturate)
    return rounding<Modified<F, false, true>, kOperands, float>(form.rounding);
  return rounding<F, kOperands, float>(form.rounding);
}

/// No rounding: abs, neg, min, max.
template <class F, unsigned kOperands> Handler exact(const FloatForm& form) {
  if (form.type == Type::F64)
    return loop<F, kOperands, double>();
  return form.flush ? loop<Modified<F, true, false>, kOperands, float>()
                    : loop<F, kOperands, float>();
}

/// f32 approximations.
template <class F> Handler approximation(const FloatForm& form) {
  if (form.type != Type::F32)
    return nullptr;
  return form.flush ? unary<Modified<F, true, false>, float, float> : unary<F, float, float>;
}

Handler minMaxHandler(const FloatForm& form) {
  switch (form.op) {
  case FloatOp::Min:
    return exact<MinMax<false, false, false>, 2>(form);
  case FloatOp::Max:
    return exact<MinMax<true, false, false>, 2>(form);
  case FloatOp::MinNan:
    return exact<MinMax<false, true, false>, 2>(form);
  case FloatOp::MaxNan:
    return exact<MinMax<true, true, false>, 2>(form);
  case FloatOp::MinXorSign:
    return exact<MinMax<false, false, true>, 2>(form);
  case FloatOp::MaxXorSign:
    return exact<MinMax<true, false, true>, 2>(form);
  case FloatOp::MinNanXorSign:
    return exact<MinMax<false, true, true>, 2>(form);
  case FloatOp::MaxNanXorSign:
    return exact<MinMax<true, true, true>, 2>(form);
  case FloatOp::Min3:
    return exact<MinMax3<false, false>, 3>(form);
  case FloatOp::Max3:
    return exact<MinMax3<true, false>, 3>(form);
  case FloatOp::Min3Nan:
    return exact<MinMax3<false, true>, 3>(form);
  case FloatOp::Max3Nan:
    return exact<MinMax3<true, true>, 3>(form);
  default:
    return nullptr;
  }
}

Handler slctHandler(const FloatForm& form) {
  switch (ptx::sizeInBytes(form.type)) {
  case 2:
    return ternary<Slct, uint16_t, uint16_t, uint16_t, float>;
  case 4:
    return ternary<Slct, uint32_t, uint32_t, uint32_t, float>;
  case 8:
    return ternary<Slct, uint64_t, uint64_t, uint64_t, float>;
  default:
    return nullptr;
  }
}

} // namespace

Handler floatHandler(const FloatForm& form) {
  if (form.op == FloatOp::Slct)
    return slctHandler(form);
  if (form.type != Type::F32 && form.type != Type::F64)
    return nullptr;
  switch (form.op) {
  case FloatOp::Add:
    return arithmetic<Add, 2>(form);
  case FloatOp::Sub:
    return arithmetic<Sub, 2>(form);
  case FloatOp::Mul:
    return arithmetic<Mul, 2>(form);
  case FloatOp::Fma:
    return arithmetic<Fma, 3>(form);
  case FloatOp::Div:
    return arithmetic<Div, 2>(form);
  case FloatOp::Rcp:
    return arithmetic<Rcp, 1>(form);
  case FloatOp::Sqrt:
    return arithmetic<Sqrt, 1>(form);
  case FloatOp::Rsqrt:
    return arithmetic<Rsqrt, 1>(form);
  case FloatOp::Abs:
    return exact<Abs, 1>(form);
  case FloatOp::Neg:
    return exact<Neg, 1>(form);
  case FloatOp::CopySign:
    return exact<CopySign, 2>(form);
  case FloatOp::Sin:
    return approximation<Sin>(form);
  case FloatOp::Cos:
    return approximation<Cos>(form);
  case FloatOp::Ex2:
    return approximation<Ex2>(form);
  case FloatOp::Lg2:
    return approximation<Lg2>(form);
  case FloatOp::Tanh:
    return approximation<Tanh>(form);
  default:
    return minMaxHandler(form);
  }
}

} // namespace gpusched::cpu::GPUSCHED_ISA
