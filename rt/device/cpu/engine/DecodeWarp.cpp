// DecodeWarp.cpp - shfl, vote, match, redux, activemask, elect, bar.warp.sync.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots: 0 result, 1 source, 2 and 3 further operands, 5 second result (a predicate), 6 the
// member mask. `detail` names the mode. The old forms without .sync take the active lanes.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/WarpModes.h"

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

uint32_t memberMask(Decoder& d, size_t index, MicroOp& fields) {
  if (d.has("sync"))
    return d.source(d.operand(index), Type::U32);
  fields.detail |= kNoMemberMask;
  return d.constant(~0u, 4);
}

bool finish(Decoder& d, Handler handler, const MicroOp& fields) {
  MicroOp& op = d.emit(handler, OpClass::Other);
  std::copy(std::begin(fields.slot), std::end(fields.slot), op.slot);
  op.detail = fields.detail;
  op.immediate = fields.immediate;
  return true;
}

bool shuffle(Decoder& d) {
  MicroOp fields;
  const Operand& result = d.operand(0);
  const bool pair = result.kind == Operand::Kind::Pair;
  fields.detail = static_cast<uint16_t>(d.has("up")     ? ShuffleMode::Up
                                        : d.has("down") ? ShuffleMode::Down
                                        : d.has("bfly") ? ShuffleMode::Butterfly
                                                        : ShuffleMode::Index);
  fields.slot[6] = memberMask(d, 4, fields);
  fields.slot[1] = d.source(d.operand(1), Type::B32);
  fields.slot[2] = d.source(d.operand(2), Type::U32);
  fields.slot[3] = d.source(d.operand(3), Type::U32);
  fields.slot[0] = d.destination(pair ? result.elements[0] : result, Type::B32);
  fields.slot[5] = pair ? d.predicateDestination(result.elements[1]) : kSinkMaskSlot;
  return finish(d, handlers::shuffle, fields);
}

bool vote(Decoder& d) {
  MicroOp fields;
  const VoteMode mode = d.has("all")   ? VoteMode::All
                        : d.has("any") ? VoteMode::Any
                        : d.has("uni") ? VoteMode::Uniform
                                       : VoteMode::Ballot;
  bool negated = false;
  fields.slot[1] = d.predicate(d.operand(1), negated);
  fields.detail =
      static_cast<uint16_t>(static_cast<unsigned>(mode) | (negated ? kNegatedSource : 0));
  fields.slot[6] = memberMask(d, 2, fields);
  fields.slot[0] = mode == VoteMode::Ballot ? d.destination(d.operand(0), Type::B32)
                                            : d.predicateDestination(d.operand(0));
  return finish(d, handlers::vote, fields);
}

bool match(Decoder& d) {
  MicroOp fields;
  const Operand& result = d.operand(0);
  const bool pair = result.kind == Operand::Kind::Pair;
  const Type type = d.type();
  fields.detail = static_cast<uint16_t>((d.has("all") ? kMatchAll : 0) |
                                        (laneBytes(type) == 8 ? kWideSource : 0));
  fields.slot[6] = memberMask(d, 2, fields);
  fields.slot[1] = d.source(d.operand(1), type);
  fields.slot[0] = d.destination(pair ? result.elements[0] : result, Type::B32);
  fields.slot[5] = pair ? d.predicateDestination(result.elements[1]) : kSinkMaskSlot;
  return finish(d, handlers::match, fields);
}

bool reduce(Decoder& d) {
  MicroOp fields;
  const Type type = d.type();
  if (type != Type::S32 && type != Type::U32 && type != Type::B32)
    return false;
  const bool isSigned = type == Type::S32;
  const ReduceMode mode = d.has("add")   ? ReduceMode::Add
                          : d.has("and") ? ReduceMode::And
                          : d.has("or")  ? ReduceMode::Or
                          : d.has("xor") ? ReduceMode::Xor
                          : d.has("min") ? (isSigned ? ReduceMode::MinSigned : ReduceMode::Min)
                                         : (isSigned ? ReduceMode::MaxSigned : ReduceMode::Max);
  fields.detail = static_cast<uint16_t>(mode);
  fields.slot[6] = memberMask(d, 2, fields);
  fields.slot[1] = d.source(d.operand(1), type);
  fields.slot[0] = d.destination(d.operand(0), type);
  return finish(d, handlers::reduce, fields);
}

bool elect(Decoder& d) {
  MicroOp fields;
  const Operand& result = d.operand(0);
  if (result.kind != Operand::Kind::Pair)
    return false;
  fields.slot[6] = memberMask(d, 1, fields);
  fields.slot[0] = d.destination(result.elements[0], Type::B32);
  fields.slot[5] = d.predicateDestination(result.elements[1]);
  return finish(d, handlers::elect, fields);
}

} // namespace

bool decodeWarp(Decoder& d) {
  const std::string_view opcode = d.opcode();
  MicroOp fields;
  if (opcode == "shfl")
    return shuffle(d);
  if (opcode == "vote")
    return vote(d);
  if (opcode == "match")
    return match(d);
  if (opcode == "redux")
    return reduce(d);
  if (opcode == "elect")
    return elect(d);
  if (opcode == "activemask") {
    fields.slot[0] = d.destination(d.operand(0), Type::B32);
    return finish(d, handlers::activeMask, fields);
  }
  if (opcode != "bar" || !d.has("warp"))
    return false;
  fields.slot[6] = d.source(d.operand(0), Type::U32);
  return finish(d, handlers::warpBarrier, fields);
}

} // namespace gpusched::cpu
