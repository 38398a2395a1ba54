// DecodeAsync.cpp - cp.async, bulk copies, st.async, red.async and mbarrier.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An asynchronous copy is done at once, so commit and wait have nothing left to do: a legal
// program cannot tell. What it completes is signalled to its mbarrier.
// An mbarrier's slots: 0 state or predicate, 1 count, state or parity, 2 transaction bytes,
// 7 address. `detail` of tests: 1 for a parity. A bulk copy's slots: 0 target, 1 source, 2 bytes,
// 3 blocks of a multicast, 7 mbarrier; all 64-bit addresses without offset; `detail` in
// BulkModes.h.
#include "rt/device/cpu/engine/DecodeAsync.h"

#include "rt/device/cpu/engine/AtomicHandlers.h"
#include "rt/device/cpu/engine/BulkModes.h"
#include "rt/device/cpu/engine/Handlers.h"

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

/// Every mbarrier and copy target is in shared memory; a generic address is converted.
bool sharedSlot(Decoder& d, const Operand& operand, bool isShared, uint32_t& slot,
                int64_t& offset) {
  const Decoder::Address at =
      d.address(operand, isShared ? ptx::Space::Shared : ptx::Space::Generic);
  if (!at.ok)
    return false;
  slot = at.slot;
  offset = at.offset;
  if (at.kind == AddressKind::Shared64)
    return true;
  const uint32_t wide = d.scratch(8);
  const bool narrow = at.kind == AddressKind::Shared32;
  MicroOp& op =
      d.emit(narrow ? d.isa().resize(8, 4, false) : handlers::genericToShared, OpClass::Integer);
  op.slot[0] = wide;
  op.slot[1] = at.slot;
  slot = wide;
  return true;
}

struct Reduction {
  const char* name;
  AtomicOp op;
};
constexpr Reduction kReductions[] = {
    {"add", AtomicOp::Add}, {"min", AtomicOp::Min}, {"max", AtomicOp::Max}, {"inc", AtomicOp::Inc},
    {"dec", AtomicOp::Dec}, {"and", AtomicOp::And}, {"or", AtomicOp::Or},   {"xor", AtomicOp::Xor},
};

} // namespace

bool wholeAddress(Decoder& d, const Operand& operand, ptx::Space space, uint32_t& slot) {
  int64_t offset = 0;
  if (space == ptx::Space::Shared) {
    if (!sharedSlot(d, operand, true, slot, offset))
      return false;
  } else {
    const Decoder::Address at = d.address(operand, space);
    if (!at.ok || at.kind != AddressKind::Host)
      return false;
    slot = at.slot, offset = at.offset;
  }
  if (!offset)
    return true;
  const uint32_t sum = d.scratch(8), addend = d.constant(static_cast<uint64_t>(offset), 8);
  MicroOp& op = d.emit(d.isa().integer(IntegerOp::Add, Type::U64), OpClass::Integer);
  op.slot[0] = sum, op.slot[1] = slot, op.slot[2] = addend;
  slot = sum;
  return true;
}

bool bulkReduction(Decoder& d, Type type, MicroOp& fields) {
  for (const Reduction& named : kReductions)
    if (d.has(named.name)) {
      const bool supported = atomicHandler(named.op, type, AddressKind::Host, false) != nullptr;
      fields.immediate = int64_t(named.op) << 8 | int64_t(type);
      fields.detail |= kBulkReduces;
      return supported;
    }
  return false;
}

namespace {

/// cp.async.ca.shared.global [to], [from], size{, source size}{, policy}
bool copy(Decoder& d) {
  if (d.operand(2).kind != Operand::Kind::Integer)
    return false;
  const uint64_t size = d.operand(2).bits;
  if (size != 4 && size != 8 && size != 16)
    return false;
  uint32_t to = 0;
  int64_t offset = 0;
  if (!sharedSlot(d, d.operand(0), true, to, offset))
    return false;
  const Decoder::Address from = d.address(d.operand(1), ptx::Space::Global);
  if (!from.ok || from.kind != AddressKind::Host)
    return false;
  const bool counted = d.operandCount() > 3 && !(d.has("cache_hint") && d.operandCount() == 4);
  const uint32_t bytes = counted ? d.source(d.operand(3), Type::U32) : d.constant(size, 4);
  const uint32_t sourceOffset = d.constant(static_cast<uint64_t>(from.offset), 8);
  MicroOp& op = d.emit(handlers::asyncCopy, OpClass::LoadStore);
  op.slot[0] = bytes, op.slot[1] = from.slot, op.slot[2] = sourceOffset, op.slot[7] = to;
  op.immediate = offset;
  op.detail = static_cast<uint16_t>(size);
  return true;
}

bool isShared(const std::string& name) {
  return name.starts_with("shared");
}

/// The state spaces of a bulk copy: its target, then its source.
bool bulkSpaces(const Decoder& d, ptx::Space& to, ptx::Space& from) {
  to = from = ptx::Space::None;
  for (const std::string& modifier : d.instruction().modifiers) {
    const ptx::Space named = isShared(modifier)     ? ptx::Space::Shared
                             : modifier == "global" ? ptx::Space::Global
                                                    : ptx::Space::None;
    if (named == ptx::Space::None)
      continue;
    (to == ptx::Space::None ? to : from) = named;
  }
  return to != ptx::Space::None && from != ptx::Space::None &&
         (to == ptx::Space::Shared || from == ptx::Space::Shared);
}

/// cp{.reduce}.async.bulk [to], [from], size{, [mbarrier]}{, mask}{, policy}
bool bulkCopy(Decoder& d) {
  ptx::Space to, from;
  if (d.has("cp_mask") || !bulkSpaces(d, to, from))
    return false;
  MicroOp fields;
  const bool signals = d.has("mbarrier::complete_tx::bytes");
  if (signals ? to != ptx::Space::Shared : !d.has("bulk_group"))
    return false;
  fields.detail = static_cast<uint16_t>((to == ptx::Space::Shared ? kBulkToShared : 0) |
                                        (from == ptx::Space::Shared ? kBulkFromShared : 0) |
                                        (signals ? kBulkSignals : 0));
  if (d.has("reduce") && !bulkReduction(d, d.type(), fields))
    return false;
  if (!wholeAddress(d, d.operand(0), to, fields.slot[0]) ||
      !wholeAddress(d, d.operand(1), from, fields.slot[1]))
    return false;
  fields.slot[2] = d.source(d.operand(2), Type::U32);
  if (signals && !wholeAddress(d, d.operand(3), ptx::Space::Shared, fields.slot[7]))
    return false;
  if (d.has("multicast::cluster")) {
    fields.slot[3] = d.source(d.operand(4), Type::U16);
    fields.detail |= kBulkMulticast;
  }
  MicroOp& op = d.emit(handlers::bulkCopy, OpClass::LoadStore);
  std::copy(std::begin(fields.slot), std::end(fields.slot), op.slot);
  op.immediate = fields.immediate;
  op.detail = fields.detail;
  return true;
}

bool bulk(Decoder& d) {
  if (d.has("tensor"))
    return decodeTensorCopy(d);
  if (d.has("commit_group") || d.has("wait_group") || d.has("prefetch")) {
    d.emit(handlers::nothing, OpClass::LoadStore);
    return true;
  }
  return bulkCopy(d);
}

bool asyncCopy(Decoder& d) {
  if (!d.has("async"))
    return false;
  if (d.has("bulk"))
    return bulk(d);
  if (d.has("mbarrier")) {
    // The copies it waits for are done; without .noinc the arrival was added to the count first.
    if (!d.has("noinc"))
      return d.emit(handlers::nothing, OpClass::Barrier).run != nullptr;
    uint32_t slot = 0;
    int64_t offset = 0;
    if (!sharedSlot(d, d.operand(0), d.space() == ptx::Space::Shared, slot, offset))
      return false;
    const uint32_t one = d.constant(1, 4), none = d.constant(0, 4), sink = d.scratch(8);
    MicroOp& op = d.emit(handlers::mbarrierArrive, OpClass::Barrier);
    op.slot[0] = sink, op.slot[1] = one, op.slot[2] = none, op.slot[7] = slot;
    op.immediate = offset;
    return true;
  }
  if (d.operandCount() >= 3)
    return copy(d);
  d.emit(handlers::nothing, OpClass::LoadStore);
  return true;
}

/// After the accesses of st.async and red.async: the bytes they wrote.
bool signal(Decoder& d, const Operand& object, uint32_t bytes) {
  uint32_t slot = 0;
  int64_t offset = 0;
  if (!sharedSlot(d, object, true, slot, offset))
    return false;
  const uint32_t none = d.constant(0, 4), count = d.constant(0u - bytes, 4);
  MicroOp& op = d.emit(handlers::mbarrierArrive, OpClass::Barrier);
  op.slot[0] = d.scratch(8), op.slot[1] = none, op.slot[2] = count, op.slot[7] = slot;
  op.immediate = offset;
  return true;
}

/// st.async.shared::cluster.mbarrier::complete_tx::bytes{.v2}.type [to], value, [mbarrier]
bool asyncStore(Decoder& d) {
  const Type type = d.type();
  const unsigned bytes = ptx::sizeInBytes(type);
  const Decoder::Address to = d.inCluster(d.address(d.operand(0), d.space()));
  if (!to.ok || to.kind != AddressKind::Host || (bytes != 4 && bytes != 8) ||
      !d.has("mbarrier::complete_tx::bytes"))
    return false;
  const Operand& value = d.operand(1);
  const bool vector = value.kind == Operand::Kind::Vector;
  const unsigned count = vector ? static_cast<unsigned>(value.elements.size()) : 1;
  if (count != (d.has("v4") ? 4u : d.has("v2") ? 2u : 1u))
    return false;
  AccessForm form;
  form.memoryBytes = form.registerBytes = static_cast<uint8_t>(bytes);
  form.elements = static_cast<uint8_t>(count);
  MicroOp fields;
  for (unsigned i = 0; i < count && i < 4; ++i)
    fields.slot[i] = d.source(vector ? value.elements[i] : value, type);
  MicroOp& op = d.emit(d.isa().store(form), OpClass::LoadStore);
  std::copy(std::begin(fields.slot), std::end(fields.slot), op.slot);
  op.slot[7] = to.slot;
  return signal(d, d.operand(2), bytes * count);
}

/// red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.op.type [to], b,
/// [mbarrier]
bool asyncReduction(Decoder& d) {
  const Type type = d.type();
  const Decoder::Address to = d.inCluster(d.address(d.operand(0), d.space()));
  if (!to.ok || to.kind != AddressKind::Host || !d.has("mbarrier::complete_tx::bytes"))
    return false;
  for (const Reduction& named : kReductions) {
    if (!d.has(named.name))
      continue;
    const uint32_t value = d.source(d.operand(1), type);
    MicroOp& op = d.emit(atomicHandler(named.op, type, AddressKind::Host, false), OpClass::Atomic);
    op.slot[1] = op.slot[2] = value, op.slot[7] = to.slot;
    return signal(d, d.operand(2), ptx::sizeInBytes(type));
  }
  return false;
}

struct MbarrierOperands {
  size_t address = 0;
  uint32_t result = 0, operand = 0, transaction = 0;
};

bool emitMbarrier(Decoder& d, Handler handler, const MbarrierOperands& given) {
  uint32_t slot = 0;
  int64_t offset = 0;
  if (!sharedSlot(d, d.operand(given.address), d.space() == ptx::Space::Shared, slot, offset))
    return false;
  MicroOp& op = d.emit(handler, OpClass::Barrier);
  op.slot[0] = given.result, op.slot[1] = given.operand, op.slot[2] = given.transaction;
  op.slot[7] = slot;
  op.immediate = offset;
  op.detail = d.has("parity") || d.has("inval");
  return true;
}

/// mbarrier.arrive{.expect_tx} state, [object]{, count or bytes}
bool arrive(Decoder& d) {
  const bool expects = d.has("expect_tx");
  const uint32_t given =
      d.operandCount() > 2 ? d.source(d.operand(2), Type::U32) : d.constant(1, 4);
  MbarrierOperands operands;
  operands.address = 1;
  operands.operand = expects ? d.constant(1, 4) : given;
  operands.transaction = expects ? given : d.constant(0, 4);
  operands.result = d.destination(d.operand(0), Type::B64);
  return emitMbarrier(d, d.has("arrive_drop") ? handlers::mbarrierDrop : handlers::mbarrierArrive,
                      operands);
}

/// mbarrier.expect_tx and complete_tx [object], bytes: no arrival.
bool transaction(Decoder& d, bool completes) {
  const uint32_t given = d.source(d.operand(1), Type::S32);
  MbarrierOperands operands;
  operands.operand = d.constant(0, 4);
  operands.transaction = given;
  operands.result = d.scratch(8);
  if (completes) {
    operands.transaction = d.scratch(4);
    MicroOp& op = d.emit(d.isa().integer(IntegerOp::Neg, Type::S32), OpClass::Integer);
    op.slot[0] = operands.transaction, op.slot[1] = given;
  }
  return emitMbarrier(d, handlers::mbarrierArrive, operands);
}

bool mbarrier(Decoder& d) {
  MbarrierOperands operands;
  if (d.has("init") || d.has("inval")) {
    operands.operand = d.has("init") ? d.source(d.operand(1), Type::U32) : d.constant(1, 4);
    return emitMbarrier(d, handlers::mbarrierInit, operands);
  }
  if (d.has("test_wait") || d.has("try_wait")) {
    operands.address = 1;
    operands.operand = d.source(d.operand(2), d.has("parity") ? Type::U32 : Type::B64);
    operands.result = d.predicateDestination(d.operand(0));
    return emitMbarrier(d, handlers::mbarrierTest, operands);
  }
  if (d.has("pending_count")) {
    d.emitSimple(handlers::mbarrierPending, OpClass::Integer, Type::B32, {Type::B64});
    return true;
  }
  if (d.has("arrive") || d.has("arrive_drop"))
    return arrive(d);
  if (d.has("expect_tx") || d.has("complete_tx"))
    return transaction(d, d.has("complete_tx"));
  return false;
}

} // namespace

bool decodeAsync(Decoder& d) {
  const std::string_view opcode = d.opcode();
  if (opcode == "cp")
    return asyncCopy(d);
  if (opcode == "tensormap")
    return decodeTensorMap(d);
  if (opcode == "st" && d.has("async"))
    return asyncStore(d);
  if (opcode == "red" && d.has("async"))
    return asyncReduction(d);
  return opcode == "mbarrier" && mbarrier(d);
}

} // namespace gpusched::cpu
