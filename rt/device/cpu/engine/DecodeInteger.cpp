// DecodeInteger.cpp - integer and bit operations.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most opcodes need only their type; those whose operands have other types are listed apart.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/ptx/TypeKinds.h"

namespace gpusched::cpu {
namespace {

using ptx::Type;

bool emitWith(Decoder& d, IntegerOp op, std::initializer_list<Type> sources) {
  d.emitSimple(d.isa().integer(op, d.type()), OpClass::Integer, d.type(), sources);
  return true;
}

struct Simple {
  std::string_view opcode;
  IntegerOp op;
  unsigned sources;
};
constexpr Simple kSimple[] = {
    {"and", IntegerOp::And, 2}, {"or", IntegerOp::Or, 2},     {"xor", IntegerOp::Xor, 2},
    {"not", IntegerOp::Not, 1}, {"cnot", IntegerOp::Cnot, 1}, {"rem", IntegerOp::Rem, 2},
    {"div", IntegerOp::Div, 2}, {"abs", IntegerOp::Abs, 1},   {"neg", IntegerOp::Neg, 1},
    {"sad", IntegerOp::Sad, 3}, {"brev", IntegerOp::Brev, 1},
};

bool simple(Decoder& d) {
  const Type type = d.type();
  for (const Simple& row : kSimple) {
    if (row.opcode != d.opcode())
      continue;
    if (row.sources == 1)
      return emitWith(d, row.op, {type});
    if (row.sources == 2)
      return emitWith(d, row.op, {type, type});
    return emitWith(d, row.op, {type, type, type});
  }
  return false;
}

bool addSubtract(Decoder& d, bool subtract) {
  const Type type = d.type();
  IntegerOp op = subtract ? IntegerOp::Sub : IntegerOp::Add;
  if (d.has("sat"))
    op = subtract ? IntegerOp::SubSat : IntegerOp::AddSat;
  if (d.has("cc"))
    op = subtract ? IntegerOp::SubOut : IntegerOp::AddOut;
  return emitWith(d, op, {type, type});
}

bool addSubtractCarry(Decoder& d, bool subtract) {
  const Type type = d.type();
  if (d.has("cc"))
    return emitWith(d, subtract ? IntegerOp::SubInOut : IntegerOp::AddInOut, {type, type});
  return emitWith(d, subtract ? IntegerOp::SubIn : IntegerOp::AddIn, {type, type});
}

Type widened(Type type) {
  switch (type) {
  case Type::S16:
    return Type::S32;
  case Type::U16:
    return Type::U32;
  case Type::S32:
    return Type::S64;
  case Type::U32:
    return Type::U64;
  default:
    return Type::None;
  }
}

bool multiply(Decoder& d) {
  const Type type = d.type();
  if (!d.has("wide"))
    return emitWith(d, d.has("hi") ? IntegerOp::MulHi : IntegerOp::MulLo, {type, type});
  if (widened(type) == Type::None)
    return false;
  d.emitSimple(d.isa().integer(IntegerOp::MulWide, type), OpClass::Integer, widened(type),
               {type, type});
  return true;
}

bool multiplyAdd(Decoder& d) {
  const Type type = d.type();
  if (d.has("wide")) {
    if (widened(type) == Type::None)
      return false;
    d.emitSimple(d.isa().integer(IntegerOp::MadWide, type), OpClass::Integer, widened(type),
                 {type, type, widened(type)});
    return true;
  }
  const bool high = d.has("hi");
  IntegerOp op = high ? (d.has("sat") ? IntegerOp::MadHiSat : IntegerOp::MadHi) : IntegerOp::MadLo;
  if (d.has("cc"))
    op = high ? IntegerOp::MadHiOut : IntegerOp::MadLoOut;
  return emitWith(d, op, {type, type, type});
}

bool multiplyAddCarry(Decoder& d) {
  const Type type = d.type();
  const bool high = d.has("hi"), out = d.has("cc");
  const IntegerOp op = high ? (out ? IntegerOp::MadHiInOut : IntegerOp::MadHiIn)
                            : (out ? IntegerOp::MadLoInOut : IntegerOp::MadLoIn);
  return emitWith(d, op, {type, type, type});
}

bool multiply24(Decoder& d, bool add) {
  const Type type = d.type();
  const bool high = d.has("hi");
  if (!add)
    return emitWith(d, high ? IntegerOp::Mul24Hi : IntegerOp::Mul24Lo, {type, type});
  const IntegerOp op =
      high ? (d.has("sat") ? IntegerOp::Mad24HiSat : IntegerOp::Mad24Hi) : IntegerOp::Mad24Lo;
  return emitWith(d, op, {type, type, type});
}

bool minMax(Decoder& d, bool max) {
  const Type type = d.type();
  if (d.has("relu"))
    return emitWith(d, max ? IntegerOp::MaxRelu : IntegerOp::MinRelu, {type, type});
  return emitWith(d, max ? IntegerOp::Max : IntegerOp::Min, {type, type});
}

bool funnel(Decoder& d) {
  const bool left = d.has("l"), clamp = d.has("clamp");
  const IntegerOp op = left ? (clamp ? IntegerOp::FunnelLeftClamp : IntegerOp::FunnelLeftWrap)
                            : (clamp ? IntegerOp::FunnelRightClamp : IntegerOp::FunnelRightWrap);
  return emitWith(d, op, {Type::U32, Type::U32, Type::U32});
}

bool permute(Decoder& d) {
  struct Mode {
    std::string_view name;
    IntegerOp op;
  };
  constexpr Mode kModes[] = {{"f4e", IntegerOp::PrmtF4e}, {"b4e", IntegerOp::PrmtB4e},
                             {"rc8", IntegerOp::PrmtRc8}, {"ecl", IntegerOp::PrmtEcl},
                             {"ecr", IntegerOp::PrmtEcr}, {"rc16", IntegerOp::PrmtRc16}};
  IntegerOp op = IntegerOp::Prmt;
  for (const Mode& mode : kModes)
    if (d.has(mode.name))
      op = mode.op;
  return emitWith(d, op, {Type::U32, Type::U32, Type::U32});
}

bool logic3(Decoder& d) {
  if (d.operandCount() != 5 || d.operand(4).kind != ptx::Operand::Kind::Integer)
    return false;
  MicroOp* op = d.emitSimple(d.isa().integer(IntegerOp::Lop3, Type::B32), OpClass::Integer,
                             Type::B32, {Type::B32, Type::B32, Type::B32});
  op->detail = static_cast<uint16_t>(d.operand(4).bits & 0xff);
  return true;
}

bool dotProduct(Decoder& d) {
  const bool signedA = d.type(0) == Type::S32, signedB = d.type(1) == Type::S32;
  // The handler table is keyed by one type: see ExecuteIntegerBits.cpp.
  const Type key = signedA ? (signedB ? Type::S32 : Type::S64) : (signedB ? Type::U64 : Type::U32);
  const IntegerOp op = d.opcode() == "dp4a" ? IntegerOp::Dp4a
                       : d.has("hi")        ? IntegerOp::Dp2aHi
                                            : IntegerOp::Dp2aLo;
  d.emitSimple(d.isa().integer(op, key), OpClass::Integer, Type::U32,
               {Type::U32, Type::U32, Type::U32});
  return true;
}

bool bitField(Decoder& d) {
  const Type type = d.type();
  const std::string_view opcode = d.opcode();
  if (opcode == "bfe")
    return emitWith(d, IntegerOp::Bfe, {type, Type::U32, Type::U32});
  if (opcode == "bfi")
    return emitWith(d, IntegerOp::Bfi, {type, type, Type::U32, Type::U32});
  if (opcode == "szext")
    return emitWith(d, d.has("clamp") ? IntegerOp::SextClamp : IntegerOp::SextWrap,
                    {type, Type::U32});
  if (opcode == "bmsk")
    return emitWith(d, d.has("clamp") ? IntegerOp::BmskClamp : IntegerOp::BmskWrap,
                    {Type::U32, Type::U32});
  if (opcode == "fns")
    return emitWith(d, IntegerOp::Fns, {Type::U32, Type::U32, Type::S32});
  IntegerOp op = opcode == "clz" ? IntegerOp::Clz : IntegerOp::Popc;
  if (opcode == "bfind")
    op = d.has("shiftamt") ? IntegerOp::BfindShift : IntegerOp::Bfind;
  else if (opcode != "clz" && opcode != "popc")
    return false;
  if (ptx::sizeInBytes(type) < 4) // the handlers read words
    return false;
  d.emitSimple(d.isa().integer(op, type), OpClass::Integer, Type::U32, {type});
  return true;
}

bool select(Decoder& d) {
  const Type type = d.type();
  bool negated = false;
  const uint32_t a = d.source(d.operand(1), type), b = d.source(d.operand(2), type);
  const uint32_t p = d.predicate(d.operand(3), negated), out = d.destination(d.operand(0), type);
  MicroOp& op = d.emit(d.isa().integer(IntegerOp::Select, type), OpClass::Integer);
  op.slot[0] = out, op.slot[1] = a, op.slot[2] = b, op.slot[3] = p;
  op.detail = negated;
  return true;
}

bool signSelect(Decoder& d) {
  const Type type = d.type(0), by = d.type(1);
  if (d.has("ftz") && by == Type::F32) {
    const uint32_t a = d.source(d.operand(1), type), b = d.source(d.operand(2), type);
    const uint32_t c = d.source(d.operand(3), by), flushed = d.scratch(4);
    const uint32_t out = d.destination(d.operand(0), type);
    // NaN keeps its payload or not: all the same to the comparison.
    const ConvertForm flush{.to = by, .from = by, .flush = true};
    MicroOp& first = d.emit(d.isa().convert(flush), OpClass::Conversion);
    first.slot[0] = flushed, first.slot[1] = c, first.detail = 1 << 2;
    MicroOp& op = d.emit(d.isa().floating({.op = FloatOp::Slct, .type = type}), OpClass::Integer);
    op.slot[0] = out, op.slot[1] = a, op.slot[2] = b, op.slot[3] = flushed;
    return true;
  }
  const Handler handler = by == Type::S32 ? d.isa().integer(IntegerOp::Slct, type)
                                          : d.isa().floating({.op = FloatOp::Slct, .type = type});
  d.emitSimple(handler, OpClass::Integer, type, {type, type, by});
  return true;
}

} // namespace

bool decodeInteger(Decoder& d) {
  const std::string_view opcode = d.opcode();
  const Type type = d.type();
  if (opcode == "selp")
    return select(d);
  if (opcode == "slct")
    return signSelect(d);
  if (type == Type::Pred || isFloat(type) || type == Type::None)
    return false;
  if (opcode == "add")
    return addSubtract(d, false);
  if (opcode == "sub")
    return addSubtract(d, true);
  if (opcode == "mul")
    return multiply(d);
  if (opcode == "mad")
    return multiplyAdd(d);
  if (opcode == "shl")
    return emitWith(d, IntegerOp::Shl, {type, Type::U32});
  if (opcode == "shr")
    return emitWith(d, IntegerOp::Shr, {type, Type::U32});
  if (simple(d))
    return true;
  if (opcode == "min" || opcode == "max")
    return minMax(d, opcode == "max");
  if (opcode == "addc" || opcode == "subc")
    return addSubtractCarry(d, opcode == "subc");
  if (opcode == "madc")
    return multiplyAddCarry(d);
  if (opcode == "mul24" || opcode == "mad24")
    return multiply24(d, opcode == "mad24");
  if (opcode == "shf")
    return funnel(d);
  if (opcode == "prmt")
    return permute(d);
  if (opcode == "lop3")
    return logic3(d);
  if (opcode == "dp4a" || opcode == "dp2a")
    return dotProduct(d);
  return bitField(d);
}

} // namespace gpusched::cpu
