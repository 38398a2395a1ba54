// DecodeAtomic.cpp - atom and red.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots: 0 old value, 1 operand, 2 the swapped value of cas, 7 address. Memory order and scope
// need nothing here: every host atomic is sequentially consistent.
#include "rt/device/cpu/engine/AtomicHandlers.h"
#include "rt/device/cpu/engine/Decoder.h"

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

struct Named {
  std::string_view name;
  AtomicOp op;
};
constexpr Named kOps[] = {
    {"add", AtomicOp::Add}, {"min", AtomicOp::Min}, {"max", AtomicOp::Max},
    {"and", AtomicOp::And}, {"or", AtomicOp::Or},   {"xor", AtomicOp::Xor},
    {"inc", AtomicOp::Inc}, {"dec", AtomicOp::Dec}, {"exch", AtomicOp::Exchange},
    {"cas", AtomicOp::Cas},
};

Access noteOf(const Decoder& d, AddressKind address, Type type) {
  Access note;
  note.address = address;
  note.bytes = static_cast<uint8_t>(ptx::sizeInBytes(type));
  note.reads = note.writes = note.atomic = note.strong = true;
  note.acquire = d.has("acquire") || d.has("acq_rel");
  note.release = d.has("release") || d.has("acq_rel");
  note.blockScope = d.has("cta");
  return note;
}

} // namespace

bool decodeAtomic(Decoder& d) {
  const bool red = d.opcode() == "red";
  if (!red && d.opcode() != "atom")
    return false;
  const Type type = d.type();
  if (d.has("v2") || d.has("v4") || d.has("v8") || type == Type::B128)
    return false;
  for (const Named& named : kOps) {
    if (!d.has(named.name))
      continue;
    const size_t first = red ? 0 : 1;
    const Decoder::Address where = d.address(d.operand(first), d.space());
    if (!where.ok)
      return false;
    const uint32_t a = d.source(d.operand(first + 1), type);
    const bool cas = named.op == AtomicOp::Cas;
    const uint32_t b = cas ? d.source(d.operand(first + 2), type) : a;
    const uint32_t out = red ? 0 : d.destination(d.operand(0), type);
    MicroOp& op = d.emit(atomicHandler(named.op, type, where.kind, !red), OpClass::Atomic);
    op.slot[0] = out, op.slot[1] = a, op.slot[2] = b, op.slot[7] = where.slot;
    op.immediate = where.offset;
    d.endsOpening();
    d.note(noteOf(d, where.kind, type));
    return true;
  }
  return false;
}

} // namespace gpusched::cpu
