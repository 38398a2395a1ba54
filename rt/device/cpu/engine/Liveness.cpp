// Liveness.cpp - backward data flow over a function's basic blocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation that is not known to define its first operand counts as using it, and a guarded
// definition does not end the life of the old value: both only make ranges longer.
#include "rt/device/cpu/engine/Liveness.h"

#include <algorithm>
#include <string_view>

namespace gpusched::cpu {
namespace {

using ptx::Instruction;
using ptx::Operand;
using Bits = std::vector<uint64_t>;

struct Block {
  uint32_t first = 0, last = 0; // instructions [first, last)
  std::vector<uint32_t> next;
  Bits uses, defines, in, out;
};

bool test(const Bits& bits, uint32_t index) {
  return bits[index / 64] >> (index % 64) & 1;
}
void set(Bits& bits, uint32_t index) {
  bits[index / 64] |= uint64_t(1) << (index % 64);
}
void clear(Bits& bits, uint32_t index) {
  bits[index / 64] &= ~(uint64_t(1) << (index % 64));
}

bool isBranch(std::string_view opcode) {
  return opcode == "bra" || opcode == "brx";
}
bool endsBlock(std::string_view opcode) {
  return isBranch(opcode) || opcode == "ret" || opcode == "exit" || opcode == "trap";
}

/// Opcodes whose first operand is not a result.
bool hasNoResult(std::string_view opcode) {
  constexpr std::string_view kNone[] = {"st",          "red",
                                        "bra",         "brx",
                                        "membar",      "fence",
                                        "prefetch",    "prefetchu",
                                        "ret",         "exit",
                                        "trap",        "nanosleep",
                                        "cp",          "discard",
                                        "sust",        "sured",
                                        "stmatrix",    "brkpt",
                                        "pmevent",     "applypriority",
                                        "setmaxnreg",  "griddepcontrol",
                                        "stackrestore"};
  return std::find(std::begin(kNone), std::end(kNone), opcode) != std::end(kNone);
}

/// Calls use(register) and define(register, certainly) for one instruction.
template <class Use, class Define>
void visitOperand(const Operand& operand, bool result, Use use, Define define) {
  switch (operand.kind) {
  case Operand::Kind::Register:
    result ? define(operand.reg) : use(operand.reg);
    return;
  case Operand::Kind::Address:
    for (const Operand& element : operand.elements)
      visitOperand(element, false, use, define);
    return;
  default:
    for (const Operand& element : operand.elements)
      visitOperand(element, result, use, define);
  }
}

template <class Use, class Define>
void visit(const Instruction& instruction, Use use, Define define) {
  const std::string_view opcode = instruction.opcode;
  const bool call = opcode == "call";
  // A barrier, mbarrier or wmma form may or may not have a result: treat it as both.
  const bool unsure = opcode == "bar" || opcode == "barrier" || opcode == "mbarrier" ||
                      opcode == "wmma" || opcode == "stacksave" || instruction.predicate >= 0;
  const bool noResult = hasNoResult(opcode);
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    bool result = i == 0 && !noResult;
    if (call)
      result = i == 0 && operand.kind == Operand::Kind::List && instruction.operands.size() > 1;
    if (result && unsure)
      visitOperand(operand, false, use, define);
    visitOperand(operand, result, use, define);
  }
  if (instruction.predicate >= 0)
    use(static_cast<uint32_t>(instruction.predicate));
}

std::vector<Block> findBlocks(const ptx::Function& function) {
  const uint32_t count = static_cast<uint32_t>(function.body.size());
  std::vector<bool> starts(count + 1);
  starts[0] = true;
  for (uint32_t i = 0; i < count; ++i) {
    if (endsBlock(function.body[i].opcode))
      starts[i + 1] = true;
    for (const Operand& operand : function.body[i].operands)
      if (operand.kind == Operand::Kind::Label)
        starts[operand.target] = true;
  }
  for (const ptx::BranchTable& table : function.branchTables)
    for (uint32_t target : table.targets)
      starts[target] = true;
  std::vector<Block> blocks;
  for (uint32_t i = 0; i < count; ++i) {
    if (starts[i])
      blocks.push_back({i, i, {}, {}, {}, {}, {}});
    blocks.back().last = i + 1;
  }
  return blocks;
}

void connect(const ptx::Function& function, std::vector<Block>& blocks) {
  std::vector<uint32_t> blockAt(function.body.size() + 1, ~0u);
  for (uint32_t b = 0; b < blocks.size(); ++b)
    blockAt[blocks[b].first] = b;
  const auto link = [&](Block& from, uint32_t target) {
    if (blockAt[target] != ~0u)
      from.next.push_back(blockAt[target]);
  };
  for (Block& block : blocks) {
    const Instruction& end = function.body[block.last - 1];
    const bool conditional = end.predicate >= 0;
    if (!endsBlock(end.opcode) || conditional)
      link(block, block.last);
    for (const Operand& operand : end.operands) {
      if (operand.kind == Operand::Kind::Label)
        link(block, operand.target);
      if (operand.kind != Operand::Kind::Table || end.opcode != "brx")
        continue;
      for (const ptx::BranchTable& table : function.branchTables)
        if (table.name == operand.name)
          for (uint32_t target : table.targets)
            link(block, target);
    }
  }
}

void summarize(const ptx::Function& function, Block& block, size_t words) {
  block.uses.assign(words, 0);
  block.defines = block.in = block.out = block.uses;
  for (uint32_t i = block.last; i-- > block.first;) {
    visit(
        function.body[i], [](uint32_t) {},
        [&](uint32_t reg) {
          set(block.defines, reg);
          clear(block.uses, reg);
        });
    visit(function.body[i], [&](uint32_t reg) { set(block.uses, reg); }, [](uint32_t) {});
  }
}

void solve(std::vector<Block>& blocks) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = blocks.size(); b-- > 0;) {
      Block& block = blocks[b];
      for (size_t w = 0; w < block.in.size(); ++w) {
        uint64_t out = 0;
        for (uint32_t next : block.next)
          out |= blocks[next].in[w];
        const uint64_t in = block.uses[w] | (out & ~block.defines[w]);
        changed |= in != block.in[w];
        block.out[w] = out;
        block.in[w] = in;
      }
    }
  }
}

void extend(LiveRange& range, uint32_t position) {
  range.first = std::min(range.first, position);
  range.last = std::max(range.last, position);
}

} // namespace

std::vector<LiveRange> liveRanges(const ptx::Function& function) {
  std::vector<LiveRange> ranges(function.registers.size());
  if (function.body.empty())
    return ranges;
  std::vector<Block> blocks = findBlocks(function);
  connect(function, blocks);
  const size_t words = function.registers.size() / 64 + 1;
  for (Block& block : blocks)
    summarize(function, block, words);
  solve(blocks);
  for (const Block& block : blocks) {
    for (uint32_t reg = 0; reg < ranges.size(); ++reg) {
      if (test(block.in, reg))
        extend(ranges[reg], block.first);
      if (test(block.out, reg))
        extend(ranges[reg], block.last - 1);
    }
    for (uint32_t i = block.first; i < block.last; ++i) {
      const auto touch = [&](uint32_t reg) { extend(ranges[reg], i); };
      visit(function.body[i], touch, touch);
    }
  }
  return ranges;
}

uint32_t peakRegisters(const ptx::Function& function, const std::vector<LiveRange>& ranges) {
  std::vector<int64_t> change(function.body.size() + 2);
  for (size_t i = 0; i < ranges.size(); ++i) {
    const ptx::Type type = function.registers[i].type;
    if (!ranges[i].used() || type == ptx::Type::Pred)
      continue;
    const int64_t size = std::max(1u, ptx::sizeInBytes(type) / 4);
    change[ranges[i].first] += size;
    change[ranges[i].last] -= size; // a source's register can be reused by the result
  }
  int64_t live = 0, peak = 0;
  for (int64_t delta : change)
    peak = std::max(peak, live += delta);
  return static_cast<uint32_t>(peak);
}

} // namespace gpusched::cpu
