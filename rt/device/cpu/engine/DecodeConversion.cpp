// DecodeConversion.cpp - cvt, cvt.pack and address-space conversion.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only shared addresses differ from generic ones (they are offsets into the block's arena);
// cvta between generic and any other space is a copy.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/WarpModes.h"
#include "rt/device/cpu/ptx/TypeKinds.h"

#include <cstdlib>

namespace gpusched::cpu {
namespace {

using ptx::Type;

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
  form.saturate = d.has("sat");
  form.finite = d.has("satfinite");
  form.relu = d.has("relu");
  return form;
}

uint16_t detailOf(const ConvertForm& form) {
  return static_cast<uint16_t>(static_cast<unsigned>(form.rounding) | form.flush << 2 |
                               form.saturate << 3 | form.relu << 4 | form.integerRounding << 5 |
                               form.finite << 6 | form.tiesAway << 7);
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

bool isOneHalf(Type type) {
  return type == Type::F16 || type == Type::BF16;
}

/// By way of `middle`, where .ftz takes effect.
bool convertTwice(Decoder& d, const ConvertForm& form, Type middle, uint32_t out, uint32_t in) {
  const uint32_t wide = d.scratch(8);
  emitConversion(d, {.to = middle, .from = form.from, .flush = form.flush}, wide, in);
  ConvertForm second = form;
  second.from = middle;
  second.flush = false;
  emitConversion(d, second, out, wide);
  return true;
}

bool isEighth(Type type) {
  return type == Type::E4M3x2 || type == Type::E5M2x2;
}

/// cvt.rn.satfinite.e4m3x2.f32 d, a, b; cvt.rn.satfinite.e4m3x2.f16x2 d, a; cvt.rn.f16x2.e4m3x2 d,
/// a
bool convertEighth(Decoder& d, Type to, Type from) {
  const bool narrows = isEighth(to);
  if (narrows ? !d.has("satfinite") || (from != Type::F32 && from != Type::F16x2)
              : to != Type::F16x2)
    return false;
  const bool fromFloats = from == Type::F32;
  if (!d.has("rn") || d.operandCount() != (fromFloats ? 3 : 2))
    return false;
  const Handler handler = !narrows     ? handlers::halvesFromEighth
                          : fromFloats ? handlers::eighthFromFloats
                                       : handlers::eighthFromHalves;
  const Type result = narrows ? Type::B16 : Type::B32, source = narrows ? Type::B32 : Type::B16;
  MicroOp* op = fromFloats
                    ? d.emitSimple(handler, OpClass::Conversion, result, {Type::F32, Type::F32})
                    : d.emitSimple(handler, OpClass::Conversion, result, {source});
  op->detail = static_cast<uint16_t>(((narrows ? to : from) == Type::E5M2x2 ? kEighthE5M2 : 0) |
                                     (d.has("relu") ? kEighthRelu : 0));
  return true;
}

/// cvt.pack.sat.u8.s32.b32 d, a, b, c and cvt.pack.sat.u16.s32 d, a, b
bool convertPack(Decoder& d) {
  const std::vector<std::string>& modifiers = d.instruction().modifiers;
  if (!d.has("sat") || modifiers.size() < 4)
    return false;
  const std::string& field = modifiers[2];
  const int bits = std::atoi(field.c_str() + 1);
  const bool isSigned = field[0] == 's', fromSigned = d.has("s32");
  const bool wide = bits == 16;
  if ((field[0] != 'u' && !isSigned) || (bits != 2 && bits != 4 && bits != 8 && !wide) ||
      d.operandCount() != (wide ? 3 : 4) || (!fromSigned && !d.has("u32")) || !d.has(field))
    return false;
  MicroOp* op = wide ? d.emitSimple(handlers::convertPack, OpClass::Conversion, Type::B32,
                                    {Type::B32, Type::B32})
                     : d.emitSimple(handlers::convertPack, OpClass::Conversion, Type::B32,
                                    {Type::B32, Type::B32, Type::B32});
  op->detail = static_cast<uint16_t>(unsigned(bits) | (isSigned ? kPackSigned : 0) |
                                     (fromSigned ? kPackSource : 0));
  return true;
}

bool convert(Decoder& d) {
  if (d.has("pack"))
    return convertPack(d);
  if (isEighth(d.type(0)) || isEighth(d.type(1)))
    return convertEighth(d, d.type(0), d.type(1));
  const ConvertForm form = formOf(d);
  if (form.to == Type::F16x2 || form.to == Type::BF16x2)
    return convertPair(d, form);
  const uint32_t in = d.source(d.operand(1), form.from);
  const uint32_t out = d.destination(d.operand(0), form.to);
  // 16-bit floats reach integers, and rounding .sat floats their target, through f32 or f64.
  if (isOneHalf(form.from) && !isFloat(form.to))
    return convertTwice(d, form, Type::F32, out, in);
  if (!isFloat(form.from) && isFloat(form.to) && form.saturate)
    return convertTwice(d, form, Type::F64, out, in);
  if (form.flush && form.from == Type::F32 && !isFloat(form.to))
    return convertTwice(d, form, Type::F32, out, in);
  if (form.flush && form.to == Type::F32 && form.from != Type::F32) {
    const uint32_t result = d.scratch(4);
    ConvertForm first = form;
    first.flush = false;
    emitConversion(d, first, result, in);
    emitConversion(d, {.to = Type::F32, .from = Type::F32, .flush = true}, out, result);
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
