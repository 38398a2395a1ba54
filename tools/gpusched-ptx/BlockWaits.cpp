// BlockWaits.cpp - for each loop, what the branches depend on that leave it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slice backward from those branches, through the loop's own instructions. Where a register gets
// its value on one of several ways, the branches in between belong to the slice, too.
#include "tools/gpusched-ptx/BlockWaits.h"

#include "tools/gpusched-ptx/Instructions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace gpusched::twins {
namespace {

using ptx::Instruction;

class LoopReader {
public:
  LoopReader(const ptx::Function& function, const FlowGraph& graph, const Loop& loop)
      : function_(function), graph_(graph), loop_(loop), inside_(function.registers.size()),
        outside_(function.registers.size()) {
    for (uint32_t i = 0; i < function.body.size(); ++i)
      for (const uint32_t written : writtenBy(function.body[i])) {
        if (isInside(i))
          inside_[written].push_back(i);
        else
          outside_[written] = true;
      }
    slice_ = sliceOf(registersOfExits());
  }

  /// Does memory, or anything but counting, say when it ends?
  bool endsByMemory() const {
    return std::any_of(slice_.begin(), slice_.end(),
                       [&](uint32_t i) { return asksMemory(function_.body[i], function_); });
  }

  /// The instruction by which it may wait for another block; null for none. REQUIRES: endsByMemory
  const Instruction* wait() const {
    const bool isTold = std::any_of(slice_.begin(), slice_.end(),
                                    [&](uint32_t i) { return isToldBy(function_.body[i]); });
    const bool clobbers = has(isClobber), fences = has(isDeviceFence);
    for (uint32_t i = 0; i < function_.body.size(); ++i) {
      const Instruction& instruction = function_.body[i];
      if (isInside(i) && (isTold || slice_.count(i)) &&
          (asksAnew(instruction) || (fences && isPlainLoad(instruction)) ||
           (clobbers && isPlainLoad(instruction) && !changes(addressOf(instruction)))))
        return &instruction;
    }
    return nullptr;
  }

  bool isLeft() const {
    for (uint32_t block = 0; block < loop_.blocks.size(); ++block)
      if (loop_.blocks[block] && leaves(block))
        return true;
    return false;
  }

private:
  bool isInside(uint32_t instruction) const { return loop_.blocks[graph_.blockOf(instruction)]; }

  bool leaves(uint32_t block) const {
    const std::vector<uint32_t>& next = graph_.blocks()[block].next;
    return std::any_of(next.begin(), next.end(), [&](uint32_t to) { return !loop_.blocks[to]; });
  }

  const Instruction& lastOf(uint32_t block) const {
    return function_.body[graph_.blocks()[block].end - 1];
  }

  std::vector<uint32_t> registersOfExits() const {
    std::vector<uint32_t> registers;
    for (uint32_t block = 0; block < graph_.exit(); ++block)
      if (loop_.blocks[block] && leaves(block)) {
        addAll(registers, readBy(lastOf(block)));
        addBranchesAround(block, registers);
      }
    return registers;
  }

  static void addAll(std::vector<uint32_t>& registers, const std::vector<uint32_t>& more) {
    registers.insert(registers.end(), more.begin(), more.end());
  }

  /// Does every round run the block?
  bool runsEachRound(uint32_t block) const {
    for (const uint32_t from : graph_.blocks()[loop_.header].before)
      if (loop_.blocks[from] && !graph_.isDominated(from, block))
        return false;
    return true;
  }

  /// What decides whether a round runs the block.
  void addBranchesAround(uint32_t block, std::vector<uint32_t>& registers) const {
    if (runsEachRound(block))
      return;
    for (uint32_t other = 0; other < graph_.exit(); ++other)
      if (loop_.blocks[other] && graph_.blocks()[other].next.size() > 1)
        addAll(registers, readBy(lastOf(other)));
  }

  /// Instructions of the loop that these values come from.
  std::set<uint32_t> sliceOf(std::vector<uint32_t> open) const {
    std::set<uint32_t> slice, seen;
    while (!open.empty()) {
      const uint32_t value = open.back();
      open.pop_back();
      if (!seen.insert(value).second)
        continue;
      for (const uint32_t i : inside_[value]) {
        if (!slice.insert(i).second)
          continue;
        addAll(open, readBy(function_.body[i]));
        addBranchesAround(graph_.blockOf(i), open);
      }
    }
    return slice;
  }

  static bool isCompareAndSwap(const Instruction& instruction) {
    return instruction.opcode == "atom" && hasModifier(instruction, "cas") &&
           instruction.operands.size() == 4;
  }

  /// Are these values other ones in each round? Then one of what they come from is set in front of
  /// the loop and again in it.
  bool changes(const std::vector<uint32_t>& values) const {
    const auto isCarried = [&](uint32_t value) {
      return !inside_[value].empty() && outside_[value];
    };
    if (std::any_of(values.begin(), values.end(), isCarried))
      return true;
    const std::set<uint32_t> slice = sliceOf(values);
    return std::any_of(slice.begin(), slice.end(), [&](uint32_t i) {
      const std::vector<uint32_t> read = readBy(function_.body[i]);
      return std::any_of(read.begin(), read.end(), isCarried);
    });
  }

  template <class Kind> bool has(const Kind& kind) const {
    for (uint32_t i = 0; i < function_.body.size(); ++i)
      if (isInside(i) && kind(function_.body[i]))
        return true;
    return false;
  }

  /// A poll, or what may hold one.
  bool asksAnew(const Instruction& instruction) const {
    if (instruction.opcode == "call" || instruction.opcode == "nanosleep")
      return true;
    return polls(instruction) && !triesAgain(instruction) && !locks(instruction) &&
           !takesNext(instruction) && isRead(instruction);
  }

  /// atom.cas %r2, [%rd1], %r1, %r3, where %r1 is what the last one told, or another place is asked
  /// each time.
  bool triesAgain(const Instruction& instruction) const {
    return isCompareAndSwap(instruction) &&
           (changes(registersOf(instruction.operands[2])) || changes(addressOf(instruction)));
  }

  /// atom.cas %r1, [%rd1], 0, 1: whoever has it runs, so it will be given back.
  bool locks(const Instruction& instruction) const {
    return isCompareAndSwap(instruction) && numberIn(instruction.operands[2]) == 0u &&
           numberIn(instruction.operands[3]).value_or(0) != 0;
  }

  /// atom.add %r1, [%rd1], 1: whoever asks so gets on by it, as from a queue of work.
  bool takesNext(const Instruction& instruction) const {
    return instruction.opcode == "atom" && hasModifier(instruction, "add") &&
           instruction.operands.size() == 3 && numberIn(instruction.operands[2]).value_or(0) != 0;
  }

  /// A constant, or what a register is set to and nothing else.
  std::optional<uint64_t> numberIn(const ptx::Operand& operand) const {
    if (operand.kind == ptx::Operand::Kind::Integer)
      return operand.bits;
    if (operand.kind != ptx::Operand::Kind::Register)
      return std::nullopt;
    const Instruction* setter = nullptr;
    for (const Instruction& instruction : function_.body)
      for (const uint32_t written : writtenBy(instruction))
        if (written == operand.reg) {
          if (setter || instruction.opcode != "mov" || instruction.operands.size() != 2)
            return std::nullopt;
          setter = &instruction;
        }
    if (!setter || setter->operands[1].kind != ptx::Operand::Kind::Integer)
      return std::nullopt;
    return setter->operands[1].bits;
  }

  /// Does anything look at the answer?
  bool isRead(const Instruction& instruction) const {
    const std::vector<uint32_t> answers = writtenBy(instruction);
    const auto looks = [&](const Instruction& other) {
      const std::vector<uint32_t> read = readBy(other);
      return std::any_of(answers.begin(), answers.end(), [&](uint32_t answer) {
        return std::find(read.begin(), read.end(), answer) != read.end();
      });
    };
    return std::any_of(function_.body.begin(), function_.body.end(), looks);
  }

  /// Can it hand on what another instruction of the loop was told: by shared memory, a lane, a
  /// callee?
  bool isToldBy(const Instruction& instruction) const {
    const bool readsGlobal =
        (instruction.opcode == "ld" || instruction.opcode == "atom") && isGlobal(instruction);
    return asksMemory(instruction, function_) && !readsGlobal;
  }

  bool isPlainLoad(const Instruction& instruction) const {
    return instruction.opcode.starts_with("ld") && isGlobal(instruction) &&
           asksMemory(instruction, function_);
  }

  const ptx::Function& function_;
  const FlowGraph& graph_;
  const Loop& loop_;
  std::vector<std::vector<uint32_t>> inside_; ///< by register: what writes it in the loop
  std::vector<bool> outside_;                 ///< is it also written elsewhere?
  std::set<uint32_t> slice_;                  ///< of the branches that leave the loop
};

const Instruction* firstPoll(const ptx::Function& function) {
  const auto found = std::find_if(function.body.begin(), function.body.end(), polls);
  return found == function.body.end() ? nullptr : &*found;
}

} // namespace

LoopFacts loopFacts(const ptx::Function& function, const FlowGraph& graph) {
  LoopFacts facts;
  facts.any = !graph.loops().empty() || graph.hasOtherCycles();
  if (graph.hasOtherCycles()) {
    facts.onlyCount = false;
    if (const Instruction* poll = firstPoll(function))
      facts.waits = poll->text;
  }
  for (const Loop& loop : graph.loops()) {
    const LoopReader reader(function, graph, loop);
    if (!reader.isLeft())
      facts.waits = function.body[graph.blocks()[loop.header].begin].text;
    if (!reader.endsByMemory())
      continue;
    facts.onlyCount = false;
    if (const Instruction* wait = reader.wait())
      facts.waits = wait->text;
  }
  return facts;
}

} // namespace gpusched::twins
