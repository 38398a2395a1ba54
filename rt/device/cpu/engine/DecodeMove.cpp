// DecodeMove.cpp - mov in its scalar, packing, unpacking and special-register forms.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pack or unpack copies pieces of lanes: handlers take the piece size in `detail`.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/Handlers.h"

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

Type bitsType(unsigned bytes) {
  return bytes == 1 ? Type::B8 : bytes == 2 ? Type::B16 : bytes == 4 ? Type::B32 : Type::B64;
}

/// mov.b64 %rd, {%r1, %r2}
bool pack(Decoder& d, Type type) {
  const std::vector<Operand>& parts = d.operand(1).elements;
  const unsigned bytes = ptx::sizeInBytes(type) / static_cast<unsigned>(parts.size());
  if (bytes == 0 || parts.size() > 4)
    return false;
  uint32_t slots[4];
  for (size_t i = 0; i < parts.size(); ++i)
    slots[i] = d.source(parts[i], bitsType(bytes));
  const uint32_t out = d.destination(d.operand(0), type);
  MicroOp& op = d.emit(handlers::pack, OpClass::Integer);
  op.slot[0] = out;
  for (size_t i = 0; i < parts.size(); ++i)
    op.slot[1 + i] = slots[i];
  op.detail = static_cast<uint16_t>(bytes);
  op.immediate = static_cast<int64_t>(parts.size());
  return true;
}

/// mov.b64 {%r1, %r2}, %rd
bool unpack(Decoder& d, Type type) {
  const std::vector<Operand>& parts = d.operand(0).elements;
  const unsigned bytes = ptx::sizeInBytes(type) / static_cast<unsigned>(parts.size());
  if (bytes == 0 || parts.size() > 4)
    return false;
  const uint32_t in = d.source(d.operand(1), type);
  uint32_t slots[4];
  for (size_t i = 0; i < parts.size(); ++i)
    slots[i] = d.destination(parts[i], bitsType(bytes));
  MicroOp& op = d.emit(handlers::unpack, OpClass::Integer);
  op.slot[0] = in;
  for (size_t i = 0; i < parts.size(); ++i)
    op.slot[1 + i] = slots[i];
  op.detail = static_cast<uint16_t>(bytes);
  op.immediate = static_cast<int64_t>(parts.size());
  return true;
}

Handler clockHandler(std::string_view name) {
  if (name == "clock" || name == "clock64")
    return handlers::clock;
  if (name == "clock_hi")
    return handlers::clockHigh;
  if (name == "globaltimer" || name == "globaltimer_lo")
    return handlers::globalTimer;
  return name == "globaltimer_hi" ? handlers::globalTimerHigh : nullptr;
}

} // namespace

bool decodeMove(Decoder& d) {
  if (d.opcode() != "mov")
    return false;
  const Type type = d.type();
  if (type == Type::Pred || type == Type::None)
    return false;
  if (d.operand(0).kind == Operand::Kind::Vector)
    return unpack(d, type);
  if (d.operand(1).kind == Operand::Kind::Vector)
    return pack(d, type);
  if (type == Type::B128) // one register to another: nothing emits it
    return false;
  if (d.operand(1).kind == Operand::Kind::Special)
    if (const Handler clock = clockHandler(d.operand(1).name)) {
      const uint32_t out = d.destination(d.operand(0), type);
      MicroOp& op = d.emit(clock, OpClass::Other);
      op.slot[0] = out;
      op.detail = static_cast<uint16_t>(laneBytes(type));
      return true;
    }
  d.emitSimple(d.isa().integer(IntegerOp::Mov, type), OpClass::Integer, type, {type});
  return true;
}

} // namespace gpusched::cpu
