// DecodeFloat.cpp - f16, bf16, f32 and f64 arithmetic.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 16-bit formats have their own handlers; those take .ftz and .sat in `detail`. In f32 arithmetic
// with 16-bit operands, `fma.rn.f32.f16`, these are made f32 first, which is exact.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/ptx/TypeKinds.h"

#include <algorithm>
#include <utility>

namespace gpusched::cpu {
namespace {

using ptx::Type;

OpClass classOf(Type type) {
  return isHalf(type) ? OpClass::Fp16 : type == Type::F64 ? OpClass::Fp64 : OpClass::Fp32;
}

Rounding rounding(const Decoder& d) {
  if (d.has("rz"))
    return Rounding::Zero;
  if (d.has("rm"))
    return Rounding::Down;
  return d.has("rp") ? Rounding::Up : Rounding::Nearest;
}

struct Row {
  std::string_view opcode;
  FloatOp op;
  uint8_t sources, flops;
  bool special; // the special-function unit, when f32
};
constexpr Row kRows[] = {
    {"add", FloatOp::Add, 2, 1, false},
    {"sub", FloatOp::Sub, 2, 1, false},
    {"mul", FloatOp::Mul, 2, 1, false},
    {"fma", FloatOp::Fma, 3, 2, false},
    {"mad", FloatOp::Fma, 3, 2, false},
    {"div", FloatOp::Div, 2, 1, false},
    {"abs", FloatOp::Abs, 1, 0, false},
    {"neg", FloatOp::Neg, 1, 0, false},
    {"min", FloatOp::Min, 2, 1, false},
    {"max", FloatOp::Max, 2, 1, false},
    {"rcp", FloatOp::Rcp, 1, 1, true},
    {"sqrt", FloatOp::Sqrt, 1, 1, true},
    {"rsqrt", FloatOp::Rsqrt, 1, 1, true},
    {"sin", FloatOp::Sin, 1, 1, true},
    {"cos", FloatOp::Cos, 1, 1, true},
    {"ex2", FloatOp::Ex2, 1, 1, true},
    {"lg2", FloatOp::Lg2, 1, 1, true},
    {"tanh", FloatOp::Tanh, 1, 1, true},
    {"copysign", FloatOp::CopySign, 2, 0, false},
};

FloatOp withModifiers(const Decoder& d, FloatOp op) {
  const bool nan = d.has("NaN"), exclusive = d.has("xorsign");
  const bool max = op == FloatOp::Max;
  if (op == FloatOp::Fma && d.has("relu"))
    return FloatOp::FmaRelu;
  if (op != FloatOp::Min && op != FloatOp::Max)
    return op;
  if (d.operandCount() == 4) {
    if (nan)
      return max ? FloatOp::Max3Nan : FloatOp::Min3Nan;
    return max ? FloatOp::Max3 : FloatOp::Min3;
  }
  if (nan && exclusive)
    return max ? FloatOp::MaxNanXorSign : FloatOp::MinNanXorSign;
  if (nan)
    return max ? FloatOp::MaxNan : FloatOp::MinNan;
  if (exclusive)
    return max ? FloatOp::MaxXorSign : FloatOp::MinXorSign;
  return op;
}

/// An operand of 16 bits as f32.
uint32_t widened(Decoder& d, const ptx::Operand& operand, Type from) {
  const uint32_t in = d.source(operand, from), wide = d.scratch(8);
  MicroOp& op = d.emit(d.isa().convert({.to = Type::F32, .from = from}), OpClass::Conversion);
  op.slot[0] = wide, op.slot[1] = in;
  return wide;
}

/// fma.rn as a product that is rounded, and a sum. Slots: 0 result, 1 a, 2 b, 3 c.
bool emitSplit(Decoder& d, FloatForm form, const uint32_t (&slot)[4]) {
  const bool saturate = std::exchange(form.saturate, false);
  const uint32_t product = d.scratch(8);
  form.op = FloatOp::Mul;
  MicroOp& first = d.emit(d.isa().floating(form), classOf(form.type), 1);
  first.slot[0] = product, first.slot[1] = slot[1], first.slot[2] = slot[2];
  form.op = FloatOp::Add;
  form.saturate = saturate;
  MicroOp& second = d.emit(d.isa().floating(form), classOf(form.type), 1);
  second.slot[0] = slot[0], second.slot[1] = product, second.slot[2] = slot[3];
  return true;
}

/// add, sub and fma of f32 or f64. All operands but the last may be of a narrower type.
bool emitSum(Decoder& d, const FloatForm& form, unsigned flops) {
  const Type narrow = d.type(1) == Type::None ? form.type : d.type(1);
  const bool mixed = narrow != form.type;
  if (mixed &&
      (form.type != Type::F32 || form.flush || (narrow != Type::F16 && narrow != Type::BF16)))
    return false;
  uint32_t slots[4] = {};
  const size_t last = d.operandCount() - 1;
  if (last != (form.op == FloatOp::Fma ? 3u : 2u))
    return false;
  for (size_t i = 1; i <= last; ++i)
    slots[i] =
        mixed && i < last ? widened(d, d.operand(i), narrow) : d.source(d.operand(i), form.type);
  slots[0] = d.destination(d.operand(0), form.type);
  if (form.op == FloatOp::Fma && d.has("rn") && d.module().splitFused)
    return emitSplit(d, form, slots);
  MicroOp& op = d.emit(d.isa().floating(form), classOf(form.type), flops);
  std::copy(std::begin(slots), std::end(slots), op.slot);
  return true;
}

bool isSum(const FloatForm& form) {
  return !isHalf(form.type) &&
         (form.op == FloatOp::Add || form.op == FloatOp::Sub || form.op == FloatOp::Fma);
}

bool emitRow(Decoder& d, const Row& row) {
  const Type type = d.type();
  FloatForm form{withModifiers(d, row.op), type, rounding(d), d.has("ftz"), d.has("sat"),
                 d.has("approx")};
  if (d.operandCount() <= row.sources)
    return false;
  if (isSum(form))
    return emitSum(d, form, row.flops);
  if (d.type(1) != Type::None && d.type(1) != type)
    return false;
  const Handler handler = isHalf(type) ? d.isa().half(form) : d.isa().floating(form);
  const OpClass opClass = row.special && type == Type::F32 ? OpClass::Sfu : classOf(type);
  const unsigned pair = type == Type::F16x2 || type == Type::BF16x2 ? 2 : 1;
  const unsigned flops = row.flops * pair;
  MicroOp* op = nullptr;
  switch (d.operandCount()) {
  case 2:
    op = d.emitSimple(handler, opClass, type, {type}, flops);
    break;
  case 3:
    op = d.emitSimple(handler, opClass, type, {type, type}, flops);
    break;
  default:
    op = d.emitSimple(handler, opClass, type, {type, type, type}, flops);
  }
  op->detail = static_cast<uint16_t>(form.flush | form.saturate << 1);
  return true;
}

bool testNumber(Decoder& d) {
  struct Kind {
    std::string_view name;
    TestOp op;
  };
  constexpr Kind kKinds[] = {{"finite", TestOp::Finite}, {"infinite", TestOp::Infinite},
                             {"number", TestOp::Number}, {"notanumber", TestOp::NotANumber},
                             {"normal", TestOp::Normal}, {"subnormal", TestOp::Subnormal}};
  for (const Kind& kind : kKinds) {
    if (!d.has(kind.name))
      continue;
    const uint32_t a = d.source(d.operand(1), d.type());
    MicroOp& op = d.emit(d.isa().test(kind.op, d.type()), OpClass::Fp32);
    op.slot[0] = d.predicateDestination(d.operand(0));
    op.slot[1] = op.slot[2] = a;
    op.slot[3] = kSinkMaskSlot;
    op.slot[4] = kTrueSlot;
    return true;
  }
  return false;
}

} // namespace

bool decodeFloat(Decoder& d) {
  if (d.opcode() == "testp")
    return testNumber(d);
  const Type type = d.type();
  if (!(type >= Type::F16 && type <= Type::F64))
    return false;
  for (const Row& row : kRows)
    if (row.opcode == d.opcode())
      return emitRow(d, row);
  return false;
}

} // namespace gpusched::cpu
