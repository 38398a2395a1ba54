// DecodeControl.cpp - branches, returns and calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments live in the caller's local area (.param variables); a register argument gets a
// place there, stored before the call or loaded after it.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/DeviceRuntime.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/SystemCalls.h"

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

bool branch(Decoder& d) {
  if (d.operand(0).kind != Operand::Kind::Label)
    return false;
  MicroOp& op = d.emit(handlers::branch, OpClass::Control);
  d.branchTo(op, d.operand(0).target);
  return true;
}

bool branchIndexed(Decoder& d) {
  if (!d.has("idx") || d.operand(1).kind != Operand::Kind::Table)
    return false;
  const uint32_t index = d.source(d.operand(0), Type::U32);
  const uint32_t table = d.branchTable(d.operand(1).name);
  if (table == ~0u)
    return false;
  MicroOp& op = d.emit(handlers::branchIndexed, OpClass::Control);
  op.slot[1] = index;
  op.immediate = table;
  return true;
}

bool emitPlain(Decoder& d, Handler handler) {
  d.emit(handler, OpClass::Control);
  return true;
}

/// A place for a register operand of a call.
ParameterPlace spill(Decoder& d, const Operand& operand) {
  const Type held = d.registerType(operand);
  const uint64_t bytes = held == Type::None ? 8 : std::max(1u, ptx::sizeInBytes(held));
  return {d.reserveLocal(bytes, bytes), bytes};
}

void moveSpilled(Decoder& d, const Operand& operand, const ParameterPlace& place, bool isLoad) {
  const Type type = place.bytes == 8 ? Type::B64 : place.bytes == 4 ? Type::B32 : Type::B16;
  AccessForm form;
  form.memoryBytes = form.registerBytes = static_cast<uint8_t>(place.bytes);
  const uint32_t base = d.special(SpecialKind::LocalBase, 8);
  const uint32_t value = isLoad ? d.destination(operand, type) : d.source(operand, type);
  MicroOp& op = d.emit(isLoad ? d.isa().load(form) : d.isa().store(form), OpClass::LoadStore);
  op.slot[0] = value;
  op.slot[7] = base;
  op.immediate = static_cast<int64_t>(place.offset);
}

bool setTarget(Decoder& d, const Operand& target, CallSite& site, Handler& handler,
               uint32_t& slot) {
  if (target.kind == Operand::Kind::Register) {
    d.out().hasIndirectCall = true;
    handler = handlers::callIndirect;
    slot = d.source(target, Type::U64);
    return true;
  }
  if (target.kind != Operand::Kind::Symbol)
    return false;
  handler = deviceRuntimeHandler(target.name);
  if (handler)
    return true;
  const auto found = d.module().functionIndex.find(target.name);
  const bool defined = found != d.module().functionIndex.end() &&
                       !d.module().functions[found->second].source->isExtern;
  if (!defined && systemCallHandler(target.name)) {
    handler = systemCallHandler(target.name);
    return true;
  }
  if (found == d.module().functionIndex.end())
    return false;
  site.callee = &d.module().functions[found->second];
  d.out().callees.push_back(found->second);
  handler = handlers::call;
  return true;
}

bool call(Decoder& d) {
  size_t next = 0;
  const Operand *results = nullptr, *arguments = nullptr;
  if (d.operand(next).kind == Operand::Kind::List)
    results = &d.operand(next++);
  const Operand& target = d.operand(next++);
  if (d.operand(next).kind == Operand::Kind::List)
    arguments = &d.operand(next++);
  CallSite site;
  Handler handler = nullptr;
  uint32_t slot = 0;
  if (!setTarget(d, target, site, handler, slot))
    return false;
  if (arguments)
    for (const Operand& argument : arguments->elements) {
      const std::optional<ParameterPlace> place = d.place(argument);
      site.arguments.push_back(place ? *place : spill(d, argument));
      if (!place)
        moveSpilled(d, argument, site.arguments.back(), false);
    }
  if (results)
    for (const Operand& result : results->elements) {
      const std::optional<ParameterPlace> place = d.place(result);
      site.results.push_back(place ? *place : spill(d, result));
    }
  const uint32_t index = static_cast<uint32_t>(d.module().callSites.size());
  d.module().callSites.push_back(site);
  MicroOp& op = d.emit(handler, OpClass::Control);
  op.slot[1] = slot;
  op.immediate = index;
  if (results)
    for (size_t i = 0; i < results->elements.size(); ++i)
      if (!d.place(results->elements[i]))
        moveSpilled(d, results->elements[i], site.results[i], true);
  return true;
}

} // namespace

bool decodeControl(Decoder& d) {
  const std::string_view opcode = d.opcode();
  if (opcode == "bra")
    return branch(d);
  if (opcode == "brx")
    return branchIndexed(d);
  if (opcode == "ret")
    return emitPlain(d, handlers::ret);
  if (opcode == "exit")
    return emitPlain(d, handlers::exit);
  if (opcode == "trap")
    return emitPlain(d, handlers::trap);
  if (opcode == ptx::kLogicalBlockMarker) {
    d.out().hasLogicalBlocks = true;
    return !d.module().checking || emitPlain(d, handlers::logicalBlock);
  }
  return (opcode == "brkpt" || opcode == "pmevent") && emitPlain(d, handlers::nothing);
}

bool decodeCall(Decoder& d) {
  return d.opcode() == "call" && call(d);
}

} // namespace gpusched::cpu
