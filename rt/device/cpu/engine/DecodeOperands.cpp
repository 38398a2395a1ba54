// DecodeOperands.cpp - PTX operands to frame slots.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, special registers and scratch slots are numbered after the registers as they
// are met. Addresses of shared variables are special registers, because their place depends
// on the kernel that is running.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/SpecialRegisters.h"
#include "rt/device/cpu/ptx/TypeKinds.h"

#include <bit>
#include <cstring>

namespace gpusched::cpu {

using ptx::Operand;
using ptx::Type;

namespace {

/// The bits of a literal as a value of `type`.
uint64_t literal(const Operand& operand, Type type) {
  if (operand.kind == Operand::Kind::Integer)
    return operand.bits;
  if (operand.kind == Operand::Kind::Float32 && type == Type::F64)
    return std::bit_cast<uint64_t>(
        double(std::bit_cast<float>(static_cast<uint32_t>(operand.bits))));
  if (operand.kind == Operand::Kind::Float64 && type == Type::F32)
    return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
  return operand.bits;
}

bool isLiteral(const Operand& operand) {
  return operand.kind == Operand::Kind::Integer || operand.kind == Operand::Kind::Float32 ||
         operand.kind == Operand::Kind::Float64;
}

} // namespace

Type Decoder::registerType(const Operand& operand) const {
  return operand.kind == Operand::Kind::Register ? function().registers[operand.reg].type
                                                 : Type::None;
}

uint32_t Decoder::constant(uint64_t bits, unsigned bytes) {
  if (bytes < 8)
    bits &= (uint64_t(1) << (bytes * 8)) - 1;
  const auto [it, fresh] = constants_.try_emplace({bits, bytes}, layout_.bytes + nextOffset_);
  if (!fresh)
    return it->second;
  out_.constants.resize(nextOffset_ + bytes * kLanes);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    std::memcpy(out_.constants.data() + nextOffset_ + lane * bytes, &bits, bytes);
  nextOffset_ += bytes * kLanes;
  return it->second;
}

uint32_t Decoder::special(SpecialKind kind, unsigned bytes, uint32_t symbol) {
  for (const SpecialSlot& known : out_.specials)
    if (known.kind == kind && known.bytes == bytes && known.symbol == symbol)
      return known.offset;
  const uint32_t offset = layout_.bytes + nextOffset_;
  out_.specials.push_back({kind, static_cast<uint8_t>(bytes), offset, symbol});
  nextOffset_ += bytes * kLanes;
  return offset;
}

uint32_t Decoder::scratch(unsigned) {
  if (nextScratch_ == scratch_.size()) {
    scratch_.push_back(layout_.bytes + nextOffset_);
    nextOffset_ += 8 * kLanes;
  }
  return scratch_[nextScratch_++];
}

/// A sign or a part that no group took off the operand is one it does not know.
void Decoder::refuseUnlessWhole(const Operand& operand) {
  if (operand.negated || operand.component || !operand.name.empty())
    emit(nullptr, OpClass::Other);
}

uint32_t Decoder::source(const Operand& operand, Type type) {
  const unsigned bytes = laneBytes(type);
  if (isLiteral(operand))
    return constant(literal(operand, type), bytes);
  if (operand.kind == Operand::Kind::Special) {
    const std::optional<SpecialKind> kind = specialKind(operand.name);
    // A 16-bit read of %tid is the low half; the resize below would need a 32-bit slot.
    if (kind)
      return special(*kind, bytes);
    // Other environment and performance registers read as zero without a driver.
    if (!operand.name.starts_with("envreg") && !operand.name.starts_with("pm"))
      refuse();
    return constant(0, bytes);
  }
  if (operand.kind == Operand::Kind::Symbol)
    return symbolValue(operand, bytes);
  if (operand.kind != Operand::Kind::Register)
    return constant(0, bytes);
  refuseUnlessWhole(operand);
  const Type held = registerType(operand);
  if (held == Type::Pred)
    refuse();
  if (laneBytes(held) == bytes)
    return layout_.offsets[operand.reg];
  const uint32_t slot = scratch(bytes);
  MicroOp& op = emit(isa_.resize(bytes, laneBytes(held), isSigned(type)), OpClass::Other);
  op.slot[0] = slot;
  op.slot[1] = layout_.offsets[operand.reg];
  return slot;
}

uint32_t Decoder::destination(const Operand& operand, Type type) {
  const unsigned bytes = laneBytes(type);
  if (operand.kind != Operand::Kind::Register)
    return scratch(bytes);
  refuseUnlessWhole(operand);
  const Type held = registerType(operand);
  if (held == Type::Pred)
    refuse();
  if (laneBytes(held) == bytes)
    return layout_.offsets[operand.reg];
  const uint32_t slot = scratch(bytes);
  results_.push_back({slot, layout_.offsets[operand.reg], bytes, laneBytes(held), isSigned(type)});
  return slot;
}

uint32_t Decoder::predicate(const Operand& operand, bool& negated) {
  negated = operand.negated;
  if (operand.kind == Operand::Kind::Register)
    return predicateSlot(operand.reg);
  if (operand.kind == Operand::Kind::Integer)
    return operand.bits ? kTrueSlot : kFalseSlot;
  return kTrueSlot;
}

uint32_t Decoder::predicateDestination(const Operand& operand) {
  return operand.kind == Operand::Kind::Register ? predicateSlot(operand.reg) : kSinkMaskSlot;
}

/// A mask is one word where other registers have 32 values, so neither can stand for the other.
uint32_t Decoder::predicateSlot(uint32_t reg) {
  if (function().registers[reg].type == Type::Pred)
    return layout_.offsets[reg];
  refuse();
  return kSinkMaskSlot;
}

SymbolMeaning Decoder::meaning(const Operand& symbol) const {
  using Kind = SymbolMeaning::Kind;
  if (symbol.variable >= 0) {
    const ptx::Variable& variable = function().variables[static_cast<size_t>(symbol.variable)];
    const uint64_t at = variablePlace_[static_cast<size_t>(symbol.variable)];
    return {variable.space == ptx::Space::Shared ? Kind::Shared : Kind::Local, at};
  }
  if (const auto formal = formals_.find(symbol.name); formal != formals_.end())
    return {Kind::Local, formal->second};
  if (function().isEntry)
    for (size_t i = 0; i < function().parameters.size(); ++i)
      if (function().parameters[i].name == symbol.name)
        return {Kind::KernelParameter, function().parameterOffsets[i]};
  if (const auto shared = moduleShared_.find(symbol.name); shared != moduleShared_.end())
    return {Kind::Shared, shared->second};
  if (const auto global = module_.globals.find(symbol.name); global != module_.globals.end())
    return {Kind::Host, reinterpret_cast<uint64_t>(global->second.address)};
  if (const auto known = module_.functionIndex.find(symbol.name);
      known != module_.functionIndex.end())
    return {Kind::Function, known->second};
  return {Kind::Unknown, 0};
}

uint32_t Decoder::addOffset(uint32_t slot, int64_t offset, unsigned bytes) {
  if (!offset)
    return slot;
  const uint32_t sum = scratch(bytes), addend = constant(static_cast<uint64_t>(offset), bytes);
  MicroOp& op =
      emit(isa_.integer(IntegerOp::Add, bytes == 4 ? Type::U32 : Type::U64), OpClass::Integer);
  op.slot[0] = sum;
  op.slot[1] = slot;
  op.slot[2] = addend;
  return sum;
}

/// A symbol as a value: its address.
uint32_t Decoder::symbolValue(const Operand& operand, unsigned bytes) {
  const SymbolMeaning found = meaning(operand);
  switch (found.kind) {
  case SymbolMeaning::Kind::Host:
    return constant(found.value + static_cast<uint64_t>(operand.offset), bytes);
  case SymbolMeaning::Kind::Function: {
    const uint64_t address = reinterpret_cast<uint64_t>(&module_.functions[found.value]);
    out_.hasIndirectCall = true; // whoever takes an address may pass it on to a caller
    return constant(address, bytes);
  }
  case SymbolMeaning::Kind::Shared: {
    const uint32_t symbol = static_cast<uint32_t>(found.value);
    out_.sharedUses.push_back(symbol);
    return addOffset(special(SpecialKind::SharedSymbol, bytes, symbol), operand.offset, bytes);
  }
  case SymbolMeaning::Kind::Local:
    return addOffset(special(SpecialKind::LocalBase, bytes),
                     static_cast<int64_t>(found.value) + operand.offset, bytes);
  case SymbolMeaning::Kind::KernelParameter:
    return addOffset(special(SpecialKind::ParameterBase, bytes),
                     static_cast<int64_t>(found.value) + operand.offset, bytes);
  case SymbolMeaning::Kind::Unknown:
    break;
  }
  refuse();
  return 0;
}

Decoder::Address Decoder::address(const Operand& operand, ptx::Space space) {
  Address result;
  if (operand.kind != Operand::Kind::Address || operand.elements.empty())
    return result;
  const Operand& base = operand.elements[0];
  result.offset = operand.offset;
  result.ok = true;
  const bool shared = space == ptx::Space::Shared;
  if (base.kind == Operand::Kind::Register) {
    const unsigned bytes = laneBytes(registerType(base));
    result.slot = layout_.offsets[base.reg];
    if (bytes == 4 && !shared)
      result.slot = source(base, Type::U64);
    result.kind = !shared      ? AddressKind::Host
                  : bytes == 4 ? AddressKind::Shared32
                               : AddressKind::Shared64;
    return result;
  }
  if (base.kind == Operand::Kind::Integer) {
    result.slot = constant(base.bits, 8);
    result.kind = shared ? AddressKind::Shared64 : AddressKind::Host;
    return result;
  }
  const SymbolMeaning found = meaning(base);
  switch (found.kind) {
  case SymbolMeaning::Kind::Host:
    result.slot = constant(found.value, 8);
    break;
  case SymbolMeaning::Kind::Shared:
    out_.sharedUses.push_back(static_cast<uint32_t>(found.value));
    result.slot = special(SpecialKind::SharedSymbol, 4, static_cast<uint32_t>(found.value));
    result.kind = AddressKind::Shared32;
    break;
  case SymbolMeaning::Kind::Local:
    result.slot = special(SpecialKind::LocalBase, 8);
    result.offset += static_cast<int64_t>(found.value);
    break;
  case SymbolMeaning::Kind::KernelParameter:
    result.slot = special(SpecialKind::ParameterBase, 8);
    result.offset += static_cast<int64_t>(found.value);
    break;
  default:
    result.ok = false;
  }
  return result;
}

std::optional<ParameterPlace> Decoder::place(const Operand& symbol) const {
  if (symbol.kind != Operand::Kind::Symbol)
    return std::nullopt;
  const SymbolMeaning found = meaning(symbol);
  if (found.kind != SymbolMeaning::Kind::Local)
    return std::nullopt;
  uint64_t bytes = ~uint64_t(0);
  if (symbol.variable >= 0)
    bytes = function().variables[static_cast<size_t>(symbol.variable)].bytes;
  else
    for (const auto* list : {&function().parameters, &function().results})
      for (const ptx::Variable& variable : *list)
        if (variable.name == symbol.name)
          bytes = variable.bytes;
  return ParameterPlace{found.value, bytes};
}

} // namespace gpusched::cpu
