// DecodeConversion.cpp - cvt, cvt.pack and address-space conversion.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only shared addresses differ from generic ones (they are offsets into the block's arena);
// cvta between generic and any other space is a copy.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/Handlers.h"

namespace gpusched::cpu {
namespace {

using ptx::Type;

bool isFloat(Type type) {
  return type >= Type::F16 && type <= Type::F64;
}

Type integerType(Type type) {
  switch (type) {
  case Type::B8:
    return Type::U8;
  case Type::B16:
    return Type::U16;
  case Type::B32:
    return Type::U32;
  case Type::B64:
    return Type::U64;
  default:
    return type;
  }
}

ConvertForm formOf(const Decoder& d) {
  ConvertForm form;
  form.to = integerType(d.type(0));
  form.from = integerType(d.type(1));
  form.integerRounding = d.has("rni") || d.has("rzi") || d.has("rmi") || d.has("rpi");
  if (d.has("rz") || d.has("rzi"))
    form.rounding = Rounding::Zero;
  if (d.has("rm") || d.has("rmi"))
    form.rounding = Rounding::Down;
  if (d.has("rp") || d.has("rpi"))
    form.rounding = Rounding::Up;
  form.flush = d.has("ftz");
  form.tiesAway = d.has("rna");
  form.saturate = d.has("sat") || d.has("satfinite");
  form.relu = d.has("relu");
  return form;
}

uint16_t detailOf(const ConvertForm& form) {
  return static_cast<uint16_t>(static_cast<unsigned>(form.rounding) | form.flush << 2 |
                               form.saturate << 3 | form.relu << 4 | form.integerRounding << 5);
}

void emitConversion(Decoder& d, const ConvertForm& form, uint32_t out, uint32_t in) {
  MicroOp& op = d.emit(d.isa().convert(form), OpClass::Conversion);
  op.slot[0] = out;
  op.slot[1] = in;
  op.detail = detailOf(form);
}

bool convertPair(Decoder& d, const ConvertForm& form) {
  if (d.operandCount() != 3)
    return false;
  MicroOp* op =
      d.emitSimple(d.isa().convert(form), OpClass::Conversion, Type::B32, {Type::F32, Type::F32});
  op->detail = detailOf(form);
  return true;
}

bool isHalf(Type type) {
  return type == Type::F16 || type == Type::BF16;
}

bool convert(Decoder& d) {
  const ConvertForm form = formOf(d);
  if (form.to == Type::F16x2 || form.to == Type::BF16x2)
    return convertPair(d, form);
  const uint32_t in = d.source(d.operand(1), form.from);
  const uint32_t out = d.destination(d.operand(0), form.to);
  // 16-bit floats reach integers, and rounding .sat floats their target, through f32 or f64.
  if (isHalf(form.from) && !isFloat(form.to)) {
    const uint32_t wide = d.scratch(4);
    emitConversion(d, {.to = Type::F32, .from = form.from, .flush = form.flush}, wide, in);
    ConvertForm second = form;
    second.from = Type::F32;
    emitConversion(d, second, out, wide);
    return true;
  }
  if (!isFloat(form.from) && isFloat(form.to) && form.saturate) {
    const uint32_t wide = d.scratch(8);
    emitConversion(d, {.to = Type::F64, .from = form.from}, wide, in);
    ConvertForm second = form;
    second.from = Type::F64;
    emitConversion(d, second, out, wide);
    return true;
  }
  emitConversion(d, form, out, in);
  return true;
}

bool convertAddress(Decoder& d) {
  const Type type = d.type();
  if (type != Type::U64 && !(type == Type::U32 && d.has("shared")))
    return false;
  const Handler copy = d.isa().integer(IntegerOp::Mov, type);
  const bool shared = d.space() == ptx::Space::Shared;
  const Handler handler = !shared       ? copy
                          : d.has("to") ? handlers::genericToShared
                                        : handlers::sharedToGeneric;
  d.emitSimple(handler, OpClass::Integer, type, {type});
  return true;
}

} // namespace

bool decodeConversion(Decoder& d) {
  if (d.opcode() == "cvt")
    return convert(d);
  return d.opcode() == "cvta" && convertAddress(d);
}

} // namespace gpusched::cpu
