// DecodeAtomic.cpp - atom and red.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots: 0 old value, 1 operand, 2 the swapped value of cas, 7 address. Memory order and scope
// need nothing here: every host atomic is sequentially consistent.
#include "rt/device/cpu/engine/AtomicHandlers.h"
#include "rt/device/cpu/engine/Decoder.h"

#include <algorithm>

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

void emitOne(Decoder& d, Handler handler, Type type, const Decoder::Address& where,
             const uint32_t (&slots)[3]) {
  MicroOp& op = d.emit(handler, OpClass::Atomic);
  std::copy(std::begin(slots), std::end(slots), op.slot);
  op.slot[7] = where.slot;
  op.immediate = where.offset;
  d.endsOpening();
  d.note(noteOf(d, where.kind, type));
}

unsigned vectorLength(const Decoder& d) {
  return d.has("v8") ? 8 : d.has("v4") ? 4 : d.has("v2") ? 2 : 1;
}

/// red.global.add.v4.f32 [p], {a, b, c, e}: the elements one by one, each atomic.
bool emitVector(Decoder& d, AtomicOp op, Type type, Decoder::Address where, unsigned length) {
  const bool red = d.opcode() == "red", isFloat = type >= Type::F16 && type <= Type::F32;
  const Operand &result = d.operand(0), &values = d.operand(red ? 1 : 2);
  const unsigned bytes = ptx::sizeInBytes(type);
  if (!isFloat || length * bytes > 16 || values.elements.size() != length ||
      (!red && result.elements.size() != length))
    return false;
  // Copies, because an early element's result may be a later one's operand.
  uint32_t sources[8];
  for (unsigned k = 0; k < length; ++k) {
    const uint32_t given = d.source(values.elements[k], type);
    sources[k] = d.scratch(bytes);
    MicroOp& copy =
        d.emit(d.isa().integer(IntegerOp::Mov, bytes == 2 ? Type::B16 : Type::B32), OpClass::Other);
    copy.slot[0] = sources[k], copy.slot[1] = given;
  }
  const Handler handler = atomicHandler(op, type, where.kind, !red);
  for (unsigned k = 0; k < length; ++k) {
    const uint32_t out = red ? 0 : d.destination(result.elements[k], type);
    emitOne(d, handler, type, where, {out, sources[k], sources[k]});
    where.offset += bytes;
  }
  return true;
}

} // namespace

bool decodeAtomic(Decoder& d) {
  const bool red = d.opcode() == "red";
  if (!red && d.opcode() != "atom")
    return false;
  const Type type = d.type();
  if (d.has("async"))
    return false;
  for (const Named& named : kOps) {
    if (!d.has(named.name))
      continue;
    const size_t first = red ? 0 : 1;
    const Decoder::Address where = d.inCluster(d.address(d.operand(first), d.space()));
    if (!where.ok)
      return false;
    if (const unsigned length = vectorLength(d); length > 1)
      return emitVector(d, named.op, type, where, length);
    const uint32_t a = d.source(d.operand(first + 1), type);
    const bool cas = named.op == AtomicOp::Cas;
    const uint32_t b = cas ? d.source(d.operand(first + 2), type) : a;
    const uint32_t out = red ? 0 : d.destination(d.operand(0), type);
    emitOne(d, atomicHandler(named.op, type, where.kind, !red), type, where, {out, a, b});
    return true;
  }
  return false;
}

} // namespace gpusched::cpu
