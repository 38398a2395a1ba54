// DecodeAsync.cpp - cp.async and mbarrier.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An asynchronous copy is done at once, so commit and wait have nothing left to do: a legal
// program cannot tell. Bulk (TMA) copies are not supported. An mbarrier's slots: 0 state or
// predicate, 1 count, state or parity, 7 address.
#include "rt/device/cpu/engine/Decoder.h"
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

/// cp.async.ca.shared.global [to], [from], size{, source size}{, policy}
bool copy(Decoder& d) {
  if (d.operand(2).kind != Operand::Kind::Integer)
    return false;
  uint32_t to = 0;
  int64_t offset = 0;
  if (!sharedSlot(d, d.operand(0), true, to, offset))
    return false;
  const Decoder::Address from = d.address(d.operand(1), ptx::Space::Global);
  if (!from.ok || from.kind != AddressKind::Host)
    return false;
  const bool counted = d.operandCount() > 3 && !(d.has("cache_hint") && d.operandCount() == 4);
  const uint32_t bytes =
      counted ? d.source(d.operand(3), Type::U32) : d.constant(d.operand(2).bits, 4);
  const uint32_t sourceOffset = d.constant(static_cast<uint64_t>(from.offset), 8);
  MicroOp& op = d.emit(handlers::asyncCopy, OpClass::LoadStore);
  op.slot[0] = bytes, op.slot[1] = from.slot, op.slot[2] = sourceOffset, op.slot[7] = to;
  op.immediate = offset;
  op.detail = static_cast<uint16_t>(d.operand(2).bits);
  return true;
}

bool asyncCopy(Decoder& d) {
  if (!d.has("async") || d.has("bulk"))
    return false;
  if (d.has("mbarrier")) {
    // The copies it waits for are done; without .noinc the arrival was added to the count first.
    if (!d.has("noinc"))
      return d.emit(handlers::nothing, OpClass::Barrier).run != nullptr;
    uint32_t slot = 0;
    int64_t offset = 0;
    if (!sharedSlot(d, d.operand(0), d.space() == ptx::Space::Shared, slot, offset))
      return false;
    const uint32_t one = d.constant(1, 4), sink = d.scratch(8);
    MicroOp& op = d.emit(handlers::mbarrierArrive, OpClass::Barrier);
    op.slot[0] = sink, op.slot[1] = one, op.slot[7] = slot;
    op.immediate = offset;
    return true;
  }
  if (d.operandCount() >= 3)
    return copy(d);
  d.emit(handlers::nothing, OpClass::LoadStore);
  return true;
}

bool emitMbarrier(Decoder& d, Handler handler, size_t addressIndex, uint32_t result,
                  uint32_t operand) {
  uint32_t slot = 0;
  int64_t offset = 0;
  const bool isShared = d.space() == ptx::Space::Shared;
  if (!sharedSlot(d, d.operand(addressIndex), isShared, slot, offset))
    return false;
  MicroOp& op = d.emit(handler, OpClass::Barrier);
  op.slot[0] = result, op.slot[1] = operand, op.slot[7] = slot;
  op.immediate = offset;
  op.detail = d.has("parity");
  return true;
}

bool mbarrier(Decoder& d) {
  if (d.has("init"))
    return emitMbarrier(d, handlers::mbarrierInit, 0, 0, d.source(d.operand(1), Type::U32));
  if (d.has("inval"))
    return emitMbarrier(d, handlers::mbarrierInit, 0, 0, d.constant(1, 4));
  if (d.has("test_wait") || d.has("try_wait")) {
    const uint32_t state = d.source(d.operand(2), d.has("parity") ? Type::U32 : Type::B64);
    return emitMbarrier(d, handlers::mbarrierTest, 1, d.predicateDestination(d.operand(0)), state);
  }
  if (d.has("arrive") || d.has("arrive_drop")) {
    if (d.has("expect_tx"))
      return false;
    const uint32_t count =
        d.operandCount() > 2 ? d.source(d.operand(2), Type::U32) : d.constant(1, 4);
    const uint32_t result = d.destination(d.operand(0), Type::B64);
    return emitMbarrier(d, d.has("arrive_drop") ? handlers::mbarrierDrop : handlers::mbarrierArrive,
                        1, result, count);
  }
  return false;
}

} // namespace

bool decodeAsync(Decoder& d) {
  if (d.opcode() == "cp")
    return asyncCopy(d);
  return d.opcode() == "mbarrier" && mbarrier(d);
}

} // namespace gpusched::cpu
