// DecodeCluster.cpp - barrier.cluster, mapa, getctarank.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots: 0 result, 1 address, 2 rank. `detail`: kClusterWide for 64-bit addresses,
// kClusterGeneric for generic ones.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/Handlers.h"

namespace gpusched::cpu {
namespace {

using ptx::Type;

bool mapAddress(Decoder& d, bool isMap) {
  const Type type = d.type();
  const bool wide = type == Type::U64, generic = d.space() != ptx::Space::Shared;
  if (type != Type::U64 && (type != Type::U32 || generic))
    return false;
  const uint32_t address = d.source(d.operand(1), type);
  const uint32_t rank = isMap ? d.source(d.operand(2), Type::U32) : 0;
  const uint32_t out = d.destination(d.operand(0), isMap ? type : Type::U32);
  MicroOp& op = d.emit(isMap ? handlers::mapRank : handlers::rankOfAddress, OpClass::Integer);
  op.slot[0] = out, op.slot[1] = address, op.slot[2] = rank;
  op.detail = static_cast<uint16_t>((wide ? handlers::kClusterWide : 0) |
                                    (generic ? handlers::kClusterGeneric : 0));
  return true;
}

} // namespace

Decoder::Address Decoder::inCluster(Address given) {
  if (!given.ok || !has("shared::cluster") || given.kind == AddressKind::Host)
    return given;
  const uint32_t host = scratch(8);
  MicroOp& op = emit(handlers::clusterToHost, OpClass::Other);
  op.slot[0] = host, op.slot[1] = given.slot;
  op.immediate = given.offset;
  op.detail = given.kind == AddressKind::Shared32 ? 4 : 8;
  return {.slot = host, .kind = AddressKind::Host, .ok = true};
}

bool decodeCluster(Decoder& d) {
  const std::string_view opcode = d.opcode();
  if (opcode == "mapa" || opcode == "getctarank")
    return mapAddress(d, opcode == "mapa");
  if (opcode != "barrier" || !d.has("cluster"))
    return false;
  const bool arrives = d.has("arrive");
  if (!arrives && !d.has("wait"))
    return false;
  d.emit(arrives ? handlers::clusterArrive : handlers::clusterWait, OpClass::Barrier);
  return true;
}

} // namespace gpusched::cpu
