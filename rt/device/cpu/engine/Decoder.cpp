// Decoder.cpp - the decoder's frame: functions, instructions, branches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are in DecodeOperands.cpp, opcodes in the other Decode*.cpp files.
#include "rt/device/cpu/engine/Decoder.h"

#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/ModifierRules.h"
#include "rt/device/cpu/ptx/TypeNames.h"
#include "rt/support/RoundUp.h"

#include <algorithm>

namespace gpusched::cpu {

using ptx::Type;

namespace {

/// Hardware registers for addresses, the stack pointer and scheduling slack over PTX's peak.
constexpr uint32_t kRegisterSlack = 8;

} // namespace

Decoder::Decoder(LoadedModule& module, DecodedFunction& out,
                 const std::map<std::string, uint32_t>& shared)
    : module_(module), out_(out), isa_(hostIsa()), moduleShared_(shared) {
  ranges_ = liveRanges(*out.source);
  layout_ = layOutFrame(*out.source, ranges_);
  out_.registerEstimate = peakRegisters(*out.source, ranges_) + kRegisterSlack;
  out_.constantBase = layout_.bytes;
  layOutLocals();
}

void Decoder::layOutLocals() {
  const ptx::Function& function = *out_.source;
  if (!function.isEntry) {
    const auto formal = [&](const ptx::Variable& variable) {
      const uint64_t offset = reserveLocal(variable.bytes, variable.align);
      formals_[variable.name] = offset;
      return ParameterPlace{offset, variable.bytes};
    };
    for (const ptx::Variable& variable : function.parameters)
      out_.parameters.push_back(formal(variable));
    for (const ptx::Variable& variable : function.results)
      out_.results.push_back(formal(variable));
  }
  for (const ptx::Variable& variable : function.variables) {
    if (variable.space == ptx::Space::Shared) {
      variablePlace_.push_back(module_.sharedSymbols.size());
      out_.sharedUses.push_back(static_cast<uint32_t>(module_.sharedSymbols.size()));
      module_.sharedSymbols.push_back(
          {variable.name, variable.bytes, variable.align, variable.bytes == 0});
    } else {
      variablePlace_.push_back(reserveLocal(variable.bytes, variable.align));
    }
  }
}

uint64_t Decoder::reserveLocal(uint64_t bytes, uint64_t align) {
  const uint64_t offset = roundUp(out_.localBytes, align);
  out_.localBytes = offset + bytes;
  return offset;
}

void Decoder::run() {
  const ptx::Function& function = *out_.source;
  out_.firstOp = static_cast<uint32_t>(module_.code.size());
  // Constants and special registers follow the registers; both grow while decoding, so the
  // constants come first in their final place only after they are all known.
  nextOffset_ = 0;
  if (module_.compiling)
    findTargets();
  for (uint32_t i = 0; i < function.body.size(); ++i)
    decode(i);
  firstOpOf_.push_back(static_cast<uint32_t>(module_.code.size()));
  // Falling off the end returns.
  instruction_ = nullptr;
  emit(handlers::ret, OpClass::Control);
  if (module_.compiling)
    finishBlocks();
  out_.opCount = static_cast<uint32_t>(module_.code.size()) - out_.firstOp;
  patch();
}

void Decoder::decode(uint32_t index) {
  instruction_ = &out_.source->body[index];
  index_ = index;
  firstOpOf_.push_back(static_cast<uint32_t>(module_.code.size()));
  nextScratch_ = 0;
  results_.clear();
  readModifiers_ = 0;
  refused_ = false;
  if (module_.compiling && startsBlock(index))
    emitEntry();
  const size_t before = module_.code.size();
  constexpr bool (*kGroups[])(Decoder&) = {
      decodeSimd,    decodeInteger,    decodeFloat,  decodeMemory,  decodeMove,    decodeCompare,
      decodeControl, decodeConversion, decodeAtomic, decodeCluster, decodeBarrier, decodeWarp,
      decodeAsync,   decodeTensor,     decodeImage,  decodeCall,    decodeVideo};
  for (bool (*group)(Decoder&) : kGroups)
    if (group(*this)) {
      flushResults();
      const bool complete =
          std::all_of(module_.code.begin() + static_cast<std::ptrdiff_t>(before),
                      module_.code.end(), [](const MicroOp& op) { return op.run != nullptr; });
      if (complete && !refused_ && allModifiersRead() && guardIsPredicate())
        return;
      break;
    }
  module_.code.resize(before);
  while (!module_.openingEnds.empty() && module_.openingEnds.back() >= before)
    module_.openingEnds.pop_back();
  while (!module_.accesses.empty() && module_.accesses.back().op >= before)
    module_.accesses.pop_back();
  while (!branches_.empty() && branches_.back().op >= before)
    branches_.pop_back();
  emit(handlers::unsupported, OpClass::Other);
}

void Decoder::patch() {
  for (const Branch& branch : branches_)
    module_.code[branch.op].immediate =
        int64_t(firstOpOf_[branch.instruction]) - int64_t(branch.op);
  for (const auto& [mine, shared] : tables_)
    for (uint32_t target : out_.source->branchTables[mine].targets)
      module_.branchTables[shared].push_back(firstOpOf_[target]);
  // `constants` and specials were numbered in one sequence after the registers.
  out_.frameBytes = layout_.bytes + nextOffset_;
  out_.constants.resize(nextOffset_);
}

uint32_t Decoder::branchTable(const std::string& name) {
  for (uint32_t i = 0; i < out_.source->branchTables.size(); ++i)
    if (out_.source->branchTables[i].name == name) {
      tables_.push_back({i, static_cast<uint32_t>(module_.branchTables.size())});
      module_.branchTables.emplace_back();
      return tables_.back().second;
    }
  return ~0u;
}

bool Decoder::has(std::string_view modifier) const {
  bool found = false;
  for (size_t i = 0; i < instruction_->modifiers.size(); ++i)
    if (instruction_->modifiers[i] == modifier) {
      found = true;
      readModifiers_ |= uint64_t(1) << (i % 64);
    }
  return found;
}

bool Decoder::allModifiersRead() const {
  for (size_t i = 0; i < instruction_->modifiers.size(); ++i)
    if (!(readModifiers_ >> (i % 64) & 1) &&
        !maybeIgnored(instruction_->opcode, instruction_->modifiers[i]))
      return false;
  return true;
}

bool Decoder::guardIsPredicate() const {
  const int32_t guard = instruction_->predicate;
  return guard < 0 || function().registers[static_cast<size_t>(guard)].type == Type::Pred;
}

Type Decoder::type(unsigned index) const {
  for (const std::string& modifier : instruction_->modifiers) {
    const Type named = ptx::typeFromName(modifier);
    if (named != Type::None && index-- == 0)
      return named;
  }
  return Type::None;
}

ptx::Space Decoder::space() const {
  for (const std::string& modifier : instruction_->modifiers) {
    const std::string_view name = std::string_view(modifier).substr(0, modifier.find("::"));
    if (name == "reg")
      continue;
    const ptx::Space named = ptx::spaceFromName(name);
    if (named != ptx::Space::None)
      return named;
  }
  return ptx::Space::Generic;
}

const ptx::Operand& Decoder::operand(size_t index) const {
  static const ptx::Operand kMissing;
  return index < instruction_->operands.size() ? instruction_->operands[index] : kMissing;
}

MicroOp& Decoder::emit(Handler handler, OpClass opClass, unsigned flops) {
  MicroOp& op = module_.code.emplace_back();
  op.run = handler;
  op.opClass = opClass;
  op.flops = static_cast<uint8_t>(flops);
  op.instruction = index_;
  op.guard = kTrueSlot;
  if (instruction_ && instruction_->predicate >= 0 && guardIsPredicate()) {
    op.guard = layout_.offsets[static_cast<size_t>(instruction_->predicate)];
    op.guardFlip = instruction_->predicateNegated ? kAllLanes : 0;
  }
  return op;
}

MicroOp* Decoder::emitSimple(Handler handler, OpClass opClass, Type result,
                             std::initializer_list<Type> sources, unsigned flops) {
  uint32_t slots[8] = {};
  unsigned count = 1;
  for (Type type : sources) {
    slots[count] = source(operand(count), type);
    ++count;
  }
  slots[0] = destination(operand(0), result);
  MicroOp& op = emit(handler, opClass, flops);
  std::copy(std::begin(slots), std::end(slots), op.slot);
  return &op;
}

void Decoder::flushResults() {
  const std::vector<Resized> results = std::move(results_);
  results_.clear();
  for (const Resized& result : results) {
    MicroOp& op =
        emit(isa_.resize(result.toBytes, result.fromBytes, result.isSigned), OpClass::Other);
    op.slot[0] = result.to;
    op.slot[1] = result.from;
  }
}

} // namespace gpusched::cpu
