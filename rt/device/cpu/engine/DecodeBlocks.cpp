// DecodeBlocks.cpp - where blocks that may be compiled begin and end.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CompiledBlock.h. A block begins where branches arrive, behind what ends one, and before the
// first write to global memory: the opening twin (Opening.h) can then run what comes before.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/ptx/TypeNames.h"

#include <algorithm>

namespace gpusched::cpu {
namespace {

constexpr uint32_t kFewestOps = 2;

bool writesGlobal(const ptx::Instruction& instruction) {
  if (instruction.opcode != "st")
    return false;
  for (const std::string& modifier : instruction.modifiers) {
    const ptx::Space space =
        ptx::spaceFromName(std::string_view(modifier).substr(0, modifier.find("::")));
    if (space != ptx::Space::None)
      return space == ptx::Space::Global;
  }
  return true;
}

} // namespace

void Decoder::findTargets() {
  const ptx::Function& function = *out_.source;
  targets_.assign(function.body.size() + 1, false);
  for (const ptx::Instruction& instruction : function.body)
    for (const ptx::Operand& operand : instruction.operands)
      if (operand.kind == ptx::Operand::Kind::Label)
        targets_[operand.target] = true;
  for (const auto& table : function.branchTables)
    for (uint32_t target : table.targets)
      targets_[target] = true;
}

bool Decoder::startsBlock(uint32_t index) const {
  const std::vector<ptx::Instruction>& body = out_.source->body;
  return index == 0 || targets_[index] || endsBlock(module_.code.back()) ||
         (writesGlobal(body[index]) && !writesGlobal(body[index - 1]));
}

void Decoder::emitEntry() {
  MicroOp& op = emit(handlers::enterBlock, OpClass::Other);
  op.guard = kTrueSlot;
  op.guardFlip = 0;
}

void Decoder::measureBlocks() {
  std::vector<MicroOp>& code = module_.code;
  for (uint32_t entry = out_.firstOp; entry < code.size(); ++entry) {
    if (code[entry].run != handlers::enterBlock)
      continue;
    const uint32_t first = entry + 1;
    uint32_t end = first;
    while (end < code.size() && code[end].run != handlers::enterBlock && !endsBlock(code[end]))
      ++end;
    if (end - first < kFewestOps) {
      code[entry].run = handlers::nothing;
      continue;
    }
    CompiledBlock& block = module_.blocks.emplace_back();
    block.function = &out_;
    block.firstOp = first;
    block.count = end - first;
    const auto inside = [&](uint32_t op) {
      return op >= first && op < end && code[op].opClass != OpClass::Atomic;
    };
    block.writesGlobal =
        std::any_of(module_.openingEnds.begin(), module_.openingEnds.end(), inside);
    code[entry].immediate = static_cast<int64_t>(reinterpret_cast<intptr_t>(&block));
  }
  for (size_t reg = 0; reg < ranges_.size(); ++reg)
    if (ranges_[reg].used())
      out_.slotLives.push_back({layout_.offsets[reg], ranges_[reg].first, ranges_[reg].last});
  for (const auto& [constant, slot] : constants_)
    out_.constantSlots.push_back({slot, static_cast<uint8_t>(constant.second), constant.first});
}

} // namespace gpusched::cpu
