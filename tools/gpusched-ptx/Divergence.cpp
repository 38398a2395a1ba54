// Divergence.cpp - registers and branches by turns, until no more is found.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptx/Divergence.h"

#include "tools/gpusched-ptx/Instructions.h"

#include <algorithm>

namespace gpusched::twins {
namespace {

constexpr const char* kOwnOfThreads[] = {"tid",   "laneid",      "warpid", "lanemask",
                                         "clock", "globaltimer", "pm"};

/// Whatever it reads: the thread, what the thread has carried over, or an answer of its own.
bool differsByItself(const ptx::Instruction& instruction, const ptx::Function& function) {
  const std::string& opcode = instruction.opcode;
  if (hasModifier(instruction, "nc"))
    return false; // nobody writes there while the kernel runs
  if (asksMemory(instruction, function) || opcode == "elect" || opcode == "mbarrier" ||
      opcode == "addc" || opcode == "subc" || opcode == "madc")
    return true;
  return std::any_of(std::begin(kOwnOfThreads), std::end(kOwnOfThreads),
                     [&](const char* name) { return readsSpecial(instruction, name); });
}

} // namespace

/// Callers may give each thread something else.
bool isArgument(const ptx::Instruction& instruction, const ptx::Function& function) {
  return !function.isEntry && readsParameters(instruction);
}

/// Of a function, registers that nothing sets are arguments, too.
std::vector<bool> argumentsOf(const ptx::Function& function) {
  std::vector<bool> unset(function.registers.size(), !function.isEntry);
  for (const ptx::Instruction& instruction : function.body)
    for (const uint32_t written : writtenBy(instruction))
      unset[written] = false;
  return unset;
}

/// Registers that some instruction sets to %tid.x, and no other one to anything.
std::vector<bool> columnsOf(const ptx::Function& function) {
  std::vector<bool> columns(function.registers.size()), others(function.registers.size());
  for (const ptx::Instruction& instruction : function.body)
    for (const uint32_t written : writtenBy(instruction)) {
      const bool isColumn = instruction.opcode == "mov" && readsSpecial(instruction, "tid.x");
      (isColumn ? columns : others)[written] = true;
    }
  for (size_t i = 0; i < columns.size(); ++i)
    columns[i] = columns[i] && !others[i];
  return columns;
}

Divergence::Divergence(const ptx::Function& function, const FlowGraph& graph, Among among)
    : function_(function), graph_(graph), among_(among), columns_(columnsOf(function)),
      registers_(argumentsOf(function)), apart_(graph.blocks().size()) {
  do
    while (spread()) {
    }
  while (findBranches());
}

/// "shr.u32 %r2, %r1, 5", "and.b32 %r2, %r1, 96", "setp.gt.u32 %p1, %r1, 63" of %r1 = %tid.x.
bool Divergence::isOfWholeWarps(const ptx::Instruction& instruction) const {
  const std::vector<ptx::Operand>& operands = instruction.operands;
  if (operands.size() != 3 || operands[1].kind != ptx::Operand::Kind::Register ||
      !columns_[operands[1].reg] || operands[2].kind != ptx::Operand::Kind::Integer)
    return false;
  const uint64_t number = operands[2].bits;
  if (instruction.opcode == "shr")
    return number >= 5;
  if (instruction.opcode == "and")
    return number % 32 == 0;
  const bool isBehind = hasModifier(instruction, "gt") || hasModifier(instruction, "le");
  const bool isAt = hasModifier(instruction, "ge") || hasModifier(instruction, "lt");
  return instruction.opcode == "setp" &&
         ((isBehind && number % 32 == 31) || (isAt && number % 32 == 0));
}

bool Divergence::differs(const ptx::Instruction& instruction) const {
  if (isBlockBarrier(instruction))
    return false; // all threads get one answer
  if (among_ == Among::Lanes && instruction.predicate < 0 && isOfWholeWarps(instruction))
    return false;
  const std::vector<uint32_t> read = readBy(instruction);
  return differsByItself(instruction, function_) || isArgument(instruction, function_) ||
         std::any_of(read.begin(), read.end(), [&](uint32_t r) { return registers_[r]; });
}

bool Divergence::spread() {
  bool found = false;
  for (uint32_t i = 0; i < function_.body.size(); ++i) {
    if (!apart_[graph_.blockOf(i)] && !differs(function_.body[i]))
      continue;
    for (const uint32_t written : writtenBy(function_.body[i])) {
      found |= !registers_[written];
      registers_[written] = true;
    }
  }
  return found;
}

bool Divergence::findBranches() {
  bool found = false;
  for (uint32_t block = 0; block < graph_.exit(); ++block) {
    const ptx::Instruction& last = function_.body[graph_.blocks()[block].end - 1];
    if (!endsBlock(last) || !graph_.isReached(block) ||
        std::find(branches_.begin(), branches_.end(), block) != branches_.end())
      continue;
    const std::vector<uint32_t> read = readBy(last);
    if (std::none_of(read.begin(), read.end(), [&](uint32_t r) { return registers_[r]; }))
      continue;
    branches_.push_back(block);
    const BlockSet apart = graph_.between(block);
    for (size_t i = 0; i < apart.size(); ++i)
      apart_[i] = apart_[i] || apart[i];
    found = true;
  }
  return found;
}

} // namespace gpusched::twins
