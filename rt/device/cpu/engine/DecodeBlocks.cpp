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

/// Of shorter ones the entry costs about what they gain.
constexpr uint32_t kFewestOps = 4;

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

/// Up to the next entry, or to what ends a block.
uint32_t Decoder::endOfBlock(uint32_t entry) const {
  const std::vector<MicroOp>& code = module_.code;
  uint32_t end = entry + 1;
  while (end < code.size() && code[end].run != handlers::enterBlock && !endsBlock(code[end]))
    ++end;
  return end;
}

/// Before branches are patched: takes out the entries of short blocks.
void Decoder::finishBlocks() {
  std::vector<MicroOp>& code = module_.code;
  std::vector<uint32_t> movedTo; // by index into the function's code
  uint32_t kept = out_.firstOp;
  for (uint32_t index = kept; index < code.size(); ++index) {
    movedTo.push_back(kept);
    const bool isEntry = code[index].run == handlers::enterBlock;
    const uint32_t count = isEntry ? endOfBlock(index) - index - 1 : 0;
    if (isEntry && count < kFewestOps)
      continue;
    code[kept] = code[index];
    if (isEntry)
      code[kept].immediate = reinterpret_cast<intptr_t>(&addBlock(index + 1, count, kept + 1));
    ++kept;
  }
  movedTo.push_back(kept);
  code.resize(kept);
  const auto move = [&](auto& index) {
    if (index >= out_.firstOp)
      index = movedTo[index - out_.firstOp];
  };
  std::for_each(firstOpOf_.begin(), firstOpOf_.end(), move);
  std::for_each(module_.openingEnds.begin(), module_.openingEnds.end(), move);
  for (Branch& branch : branches_)
    move(branch.op);
  for (Access& access : module_.accesses)
    move(access.op);
  for (size_t reg = 0; reg < ranges_.size(); ++reg)
    if (ranges_[reg].used())
      out_.slotLives.push_back({layout_.offsets[reg], ranges_[reg].first, ranges_[reg].last});
  for (const auto& [constant, slot] : constants_)
    out_.constantSlots.push_back({slot, static_cast<uint8_t>(constant.second), constant.first});
}

/// Of `count` ops that are at `first` now and will be at `finalFirst`.
CompiledBlock& Decoder::addBlock(uint32_t first, uint32_t count, uint32_t finalFirst) {
  CompiledBlock& block = module_.blocks.emplace_back();
  block.function = &out_;
  block.firstOp = finalFirst;
  block.count = count;
  block.hotAfter = hotAfter(count);
  block.writesGlobal =
      std::any_of(module_.openingEnds.begin(), module_.openingEnds.end(), [&](uint32_t op) {
        return op >= first && op < first + count && module_.code[op].opClass != OpClass::Atomic;
      });
  return block;
}

} // namespace gpusched::cpu
