// DecodeMemory.cpp - ld, st and what only touches caches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caches are not modelled: cache operators, eviction hints and prefetches are accepted and do
// nothing. volatile, relaxed, acquire and release accesses are ordinary ones on an x86 host
// (the engine performs each access exactly once) with a host fence for the strong ones; they
// also cost more of the quantum, since loops that spin are made of them.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/ptx/TypeKinds.h"

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

unsigned elementCount(const Decoder& d) {
  return d.has("v8") ? 8 : d.has("v4") ? 4 : d.has("v2") ? 2 : 1;
}

Type widthType(unsigned bytes) {
  return bytes == 2 ? Type::B16 : bytes == 4 ? Type::B32 : Type::B64;
}

/// The widest register of the instruction decides the slots' width.
unsigned registerBytes(const Decoder& d, const Operand& value, Type type) {
  unsigned bytes = laneBytes(type);
  const auto widen = [&](const Operand& operand) {
    const Type held = d.registerType(operand);
    if (held != Type::None && laneBytes(held) <= 8)
      bytes = std::max(bytes, laneBytes(held));
  };
  if (value.kind == Operand::Kind::Vector)
    for (const Operand& element : value.elements)
      widen(element);
  else
    widen(value);
  return bytes;
}

bool isStrong(const Decoder& d) {
  return d.has("volatile") || d.has("relaxed") || d.has("acquire") || d.has("release") ||
         d.has("mmio");
}

struct Move {
  AccessForm form;
  Decoder::Address address;
  uint32_t slots[8] = {};
  bool parameter = false;
  bool writesGlobal = false;
};

Access noteOf(const Decoder& d, const AccessForm& form, bool isLoad) {
  Access note;
  note.address = form.address;
  note.bytes = static_cast<uint8_t>(form.memoryBytes * form.elements);
  note.reads = isLoad;
  note.writes = !isLoad;
  note.strong = isStrong(d);
  note.acquire = d.has("acquire");
  note.release = d.has("release");
  note.blockScope = d.has("cta");
  note.local = d.space() == ptx::Space::Local;
  return note;
}

/// One micro-op for each group of up to four elements.
void emitAccess(Decoder& d, Move access, unsigned elements, bool isLoad) {
  const unsigned step = std::min(elements, 4u);
  access.form.elements = static_cast<uint8_t>(step);
  const Handler handler = access.parameter ? d.isa().loadParameter(access.form)
                          : isLoad         ? d.isa().load(access.form)
                                           : d.isa().store(access.form);
  for (unsigned first = 0; first < elements; first += step) {
    MicroOp& op = d.emit(handler, OpClass::LoadStore);
    for (unsigned k = 0; k < step; ++k)
      op.slot[k] = access.slots[first + k];
    op.slot[7] = access.address.slot;
    op.immediate = access.address.offset + first * access.form.memoryBytes;
    if (access.writesGlobal)
      d.endsOpening();
    if (!access.parameter)
      d.note(noteOf(d, access.form, isLoad));
  }
}

bool isKernelParameter(const Decoder& d, const Operand& address) {
  return address.kind == Operand::Kind::Address && !address.elements.empty() &&
         address.elements[0].kind == Operand::Kind::Symbol &&
         d.meaning(address.elements[0]).kind == SymbolMeaning::Kind::KernelParameter;
}

/// 128 bits: two of 64, packed or unpacked in registers.
bool accessQuad(Decoder& d, bool isLoad) {
  const Operand &value = d.operand(isLoad ? 0 : 1), &where = d.operand(isLoad ? 1 : 0);
  Move access;
  access.form.memoryBytes = access.form.registerBytes = 8;
  access.address = d.inCluster(d.address(where, d.space()));
  if (!access.address.ok || elementCount(d) != 1 || d.registerType(value) != Type::B128 ||
      isKernelParameter(d, where))
    return false;
  access.form.address = access.address.kind;
  access.writesGlobal = !isLoad && access.form.address == AddressKind::Host &&
                        (d.space() == ptx::Space::Global || d.space() == ptx::Space::Generic);
  access.slots[0] = d.scratch(8), access.slots[1] = d.scratch(8);
  const uint32_t whole = isLoad ? d.destination(value, Type::B128) : d.source(value, Type::B128);
  const auto move = [&](Handler handler) {
    MicroOp& op = d.emit(handler, OpClass::LoadStore);
    op.slot[0] = whole, op.slot[1] = access.slots[0], op.slot[2] = access.slots[1];
    op.detail = 8;    // bytes of a piece
    op.immediate = 2; // pieces
  };
  if (!isLoad)
    move(handlers::unpack);
  if (isStrong(d))
    d.emit(handlers::strongAccess, OpClass::Other);
  emitAccess(d, access, 2, isLoad);
  if (isLoad)
    move(handlers::pack);
  return true;
}

bool accessMemory(Decoder& d, bool isLoad) {
  const Type type = d.type();
  if (type == Type::B128)
    return accessQuad(d, isLoad);
  const unsigned memoryBytes = ptx::sizeInBytes(type);
  if (!memoryBytes || memoryBytes > 8)
    return false;
  const Operand &value = d.operand(isLoad ? 0 : 1), &where = d.operand(isLoad ? 1 : 0);
  const unsigned elements = elementCount(d);
  const bool vector = value.kind == Operand::Kind::Vector;
  if (vector ? value.elements.size() != elements : elements != 1)
    return false;
  Move access;
  access.form.memoryBytes = static_cast<uint8_t>(memoryBytes);
  access.form.isSigned = isSigned(type);
  access.form.registerBytes = static_cast<uint8_t>(registerBytes(d, value, type));
  access.address = d.inCluster(d.address(where, d.space()));
  if (!access.address.ok)
    return false;
  access.form.address = access.address.kind;
  access.writesGlobal = !isLoad && access.form.address == AddressKind::Host &&
                        (d.space() == ptx::Space::Global || d.space() == ptx::Space::Generic);
  access.parameter = isLoad && isKernelParameter(d, where);
  if (access.parameter) {
    access.address.offset = where.offset + static_cast<int64_t>(d.meaning(where.elements[0]).value);
    const uint64_t first = static_cast<uint64_t>(access.address.offset);
    const uint64_t all = d.function().parameterBytes, bytes = memoryBytes * elements;
    if (bytes > all || first > all - bytes)
      return false;
  }
  const Type slotType = widthType(access.form.registerBytes);
  for (unsigned k = 0; k < elements; ++k) {
    const Operand& element = vector ? value.elements[k] : value;
    access.slots[k] = isLoad
                          ? d.destination(element, slotType)
                          : d.source(element, memoryBytes == laneBytes(type) &&
                                                      element.kind != Operand::Kind::Register &&
                                                      laneBytes(type) == access.form.registerBytes
                                                  ? type
                                                  : slotType);
  }
  if (isStrong(d))
    d.emit(handlers::strongAccess, OpClass::Other);
  emitAccess(d, access, elements, isLoad);
  return true;
}

bool isHint(std::string_view opcode) {
  return opcode == "prefetch" || opcode == "prefetchu" || opcode == "discard" ||
         opcode == "applypriority";
}

bool createPolicy(Decoder& d) {
  const uint32_t out = d.destination(d.operand(0), Type::B64), zero = d.constant(0, 8);
  MicroOp& op = d.emit(d.isa().integer(IntegerOp::Mov, Type::B64), OpClass::Other);
  op.slot[0] = out;
  op.slot[1] = zero;
  return true;
}

bool isSpace(Decoder& d) {
  const uint32_t in = d.source(d.operand(1), Type::U64);
  MicroOp& op = d.emit(handlers::isSpace, OpClass::Integer);
  op.slot[0] = d.predicateDestination(d.operand(0));
  op.slot[1] = in;
  op.detail = static_cast<uint16_t>(d.space());
  op.immediate = d.has("shared::cluster");
  return true;
}

} // namespace

bool decodeMemory(Decoder& d) {
  const std::string_view opcode = d.opcode();
  if (opcode == "ld" || opcode == "ldu")
    return accessMemory(d, true);
  if (opcode == "st")
    return !d.has("async") && accessMemory(d, false);
  if (opcode == "isspacep")
    return isSpace(d);
  if (opcode == "createpolicy")
    return createPolicy(d);
  if (!isHint(opcode))
    return false;
  d.emit(handlers::nothing, OpClass::LoadStore);
  return true;
}

} // namespace gpusched::cpu
