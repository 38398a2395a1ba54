// DecodeCompare.cpp - setp, set, and logic on predicates.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unsigned comparisons have names of their own (lo, ls, hi, hs) that mean lt, le, gt, ge.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/ptx/TypeKinds.h"

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

struct Named {
  std::string_view name;
  Comparison comparison;
};
constexpr Named kComparisons[] = {
    {"eq", Comparison::Eq},   {"ne", Comparison::Ne},   {"lt", Comparison::Lt},
    {"le", Comparison::Le},   {"gt", Comparison::Gt},   {"ge", Comparison::Ge},
    {"lo", Comparison::Lt},   {"ls", Comparison::Le},   {"hi", Comparison::Gt},
    {"hs", Comparison::Ge},   {"equ", Comparison::Equ}, {"neu", Comparison::Neu},
    {"ltu", Comparison::Ltu}, {"leu", Comparison::Leu}, {"gtu", Comparison::Gtu},
    {"geu", Comparison::Geu}, {"num", Comparison::Num}, {"nan", Comparison::Nan},
};

BooleanOp boolean(const Decoder& d) {
  if (d.has("and"))
    return BooleanOp::And;
  if (d.has("or"))
    return BooleanOp::Or;
  return d.has("xor") ? BooleanOp::Xor : BooleanOp::None;
}

Handler handlerFor(Decoder& d, Comparison comparison, Type type) {
  if (isHalf(type))
    return d.isa().compareHalf(comparison, type, d.has("ftz"));
  if (type == Type::F32 || type == Type::F64)
    return d.isa().compareFloat(comparison, type, d.has("ftz"));
  return d.isa().compareInteger(comparison, type);
}

/// The comparison into predicate slots p and q.
bool emitComparison(Decoder& d, Type type, uint32_t p, uint32_t q) {
  const std::optional<Comparison> comparison = comparisonOf(d);
  if (!comparison)
    return false;
  const uint32_t a = d.source(d.operand(1), type), b = d.source(d.operand(2), type);
  bool negated = false;
  const uint32_t with = d.operandCount() > 3 ? d.predicate(d.operand(3), negated) : kTrueSlot;
  const OpClass opClass = type == Type::F64   ? OpClass::Fp64
                          : type == Type::F32 ? OpClass::Fp32
                          : isHalf(type)      ? OpClass::Fp16
                                              : OpClass::Integer;
  MicroOp& op = d.emit(handlerFor(d, *comparison, type), opClass);
  op.slot[0] = p, op.slot[1] = a, op.slot[2] = b, op.slot[3] = q, op.slot[4] = with;
  op.detail = static_cast<uint16_t>(static_cast<unsigned>(boolean(d)) | (negated ? 16 : 0));
  op.immediate = static_cast<int64_t>(*comparison);
  return true;
}

bool setPredicate(Decoder& d) {
  const Operand& result = d.operand(0);
  const bool pair = result.kind == Operand::Kind::Pair;
  const uint32_t p = d.predicateDestination(pair ? result.elements[0] : result);
  const uint32_t q = pair ? d.predicateDestination(result.elements[1]) : kSinkMaskSlot;
  return emitComparison(d, d.type(), p, q);
}

/// set.lt.f16x2.f16x2: 1.0 or 0.0 in each half; set.lt.u32.f16x2: all bits of a half or none.
bool setPair(Decoder& d, Type result, Type type) {
  const uint32_t low = d.scratch(4), high = d.scratch(4);
  const bool bits = result == Type::U32 || result == Type::S32;
  if ((!bits && result != type) || !emitComparison(d, type, low, high))
    return false;
  const uint32_t out = d.destination(d.operand(0), Type::B32);
  MicroOp& op = d.emit(handlers::setPair, OpClass::Integer);
  op.slot[0] = out, op.slot[1] = low, op.slot[2] = high;
  op.immediate = bits ? 0xffff : type == Type::F16x2 ? 0x3c00 : 0x3f80;
  return true;
}

bool setValue(Decoder& d) {
  const Type result = d.type(0), type = d.type(1);
  if (type == Type::F16x2 || type == Type::BF16x2)
    return setPair(d, result, type);
  const uint32_t mask = d.scratch(4);
  if (!emitComparison(d, type, mask, kSinkMaskSlot))
    return false;
  const uint32_t out = d.destination(d.operand(0), result);
  MicroOp& op = d.emit(d.isa().setMask(result), OpClass::Integer);
  op.slot[0] = out;
  op.slot[4] = mask;
  const int64_t one = result == Type::F32    ? 0x3f800000
                      : result == Type::F16  ? 0x3c00
                      : result == Type::BF16 ? 0x3f80
                                             : 0;
  op.detail = one != 0;
  op.immediate = one;
  return true;
}

/// mov.pred p, %is_explicit_cluster
bool movePredicateRegister(Decoder& d) {
  const uint32_t value = d.source(d.operand(1), Type::U32), zero = d.constant(0, 4);
  MicroOp& op = d.emit(d.isa().compareInteger(Comparison::Ne, Type::U32), OpClass::Integer);
  op.slot[0] = d.predicateDestination(d.operand(0)), op.slot[1] = value, op.slot[2] = zero;
  op.slot[3] = kSinkMaskSlot, op.slot[4] = kTrueSlot;
  return true;
}

bool logic(Decoder& d, PredicateOp operation) {
  bool first = false, second = false;
  const uint32_t a = d.predicate(d.operand(1), first);
  const uint32_t b = d.operandCount() > 2 ? d.predicate(d.operand(2), second) : kTrueSlot;
  MicroOp& op = d.emit(d.isa().predicate(operation), OpClass::Integer);
  op.slot[0] = d.predicateDestination(d.operand(0));
  op.slot[1] = a, op.slot[2] = b;
  op.detail = static_cast<uint16_t>(first | second << 1);
  return true;
}

} // namespace

std::optional<Comparison> comparisonOf(const Decoder& d) {
  for (const Named& named : kComparisons)
    if (d.has(named.name))
      return named.comparison;
  return std::nullopt;
}

bool decodeCompare(Decoder& d) {
  const std::string_view opcode = d.opcode();
  if (opcode == "setp")
    return setPredicate(d);
  if (opcode == "set")
    return setValue(d);
  if (d.type() != Type::Pred)
    return false;
  if (opcode == "and")
    return logic(d, PredicateOp::And);
  if (opcode == "or")
    return logic(d, PredicateOp::Or);
  if (opcode == "xor")
    return logic(d, PredicateOp::Xor);
  if (opcode == "not")
    return logic(d, PredicateOp::Not);
  if (opcode == "mov" && d.operand(1).kind == Operand::Kind::Special)
    return movePredicateRegister(d);
  return opcode == "mov" && logic(d, PredicateOp::Mov);
}

} // namespace gpusched::cpu
