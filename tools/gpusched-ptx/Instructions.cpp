// Instructions.cpp - by opcodes and modifiers; what is not known counts as the worse.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptx/Instructions.h"

#include <algorithm>
#include <initializer_list>

namespace gpusched::twins {
namespace {

using ptx::Instruction;
using ptx::Operand;

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void collect(const Operand& operand, std::vector<uint32_t>& registers) {
  if (operand.kind == Operand::Kind::Register)
    registers.push_back(operand.reg);
  for (const Operand& element : operand.elements)
    collect(element, registers);
}

/// The kernel's own parameters, not those of a call.
bool isOwnParameter(const Operand& address, const ptx::Function& function) {
  const Operand& base = address.elements.front();
  return base.kind != Operand::Kind::Symbol ||
         std::any_of(function.parameters.begin(), function.parameters.end(),
                     [&](const ptx::Variable& parameter) { return parameter.name == base.name; });
}

} // namespace

bool hasModifier(const Instruction& instruction, std::string_view modifier) {
  return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), modifier) !=
         instruction.modifiers.end();
}

std::vector<uint32_t> registersOf(const Operand& operand) {
  std::vector<uint32_t> registers;
  collect(operand, registers);
  return registers;
}

std::vector<uint32_t> writtenBy(const Instruction& instruction) {
  if (instruction.operands.empty() || isOneOf(instruction.opcode, {"st", "red", "bra", "brx"}) ||
      instruction.operands.front().kind == Operand::Kind::Address)
    return {};
  return registersOf(instruction.operands.front());
}

std::vector<uint32_t> readBy(const Instruction& instruction) {
  std::vector<uint32_t> registers;
  const size_t first = writtenBy(instruction).empty() ? 0 : 1;
  for (size_t i = first; i < instruction.operands.size(); ++i)
    collect(instruction.operands[i], registers);
  if (instruction.predicate >= 0)
    registers.push_back(static_cast<uint32_t>(instruction.predicate));
  return registers;
}

std::vector<uint32_t> addressOf(const Instruction& instruction) {
  std::vector<uint32_t> registers;
  for (const Operand& operand : instruction.operands)
    if (operand.kind == Operand::Kind::Address)
      collect(operand, registers);
  return registers;
}

bool isBlockBarrier(const Instruction& instruction) {
  return isOneOf(instruction.opcode, {"bar", "barrier"}) && !hasModifier(instruction, "warp") &&
         !hasModifier(instruction, "cluster");
}

bool isWarpPrimitive(const Instruction& instruction) {
  return isOneOf(instruction.opcode, {"shfl", "vote", "match", "redux", "elect"}) ||
         (instruction.opcode == "bar" && hasModifier(instruction, "warp"));
}

bool readsParameters(const Instruction& instruction) {
  return instruction.opcode == "ld" &&
         std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                     [](std::string_view modifier) { return modifier.starts_with("param"); });
}

bool isGlobal(const Instruction& instruction) {
  return std::none_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                      [](std::string_view modifier) {
                        return modifier.starts_with("shared") || modifier.starts_with("param") ||
                               isOneOf(modifier, {"local", "const"});
                      });
}

bool polls(const Instruction& instruction) {
  if (!isGlobal(instruction) || hasModifier(instruction, "cta"))
    return false;
  if (isOneOf(instruction.opcode, {"atom", "multimem"}))
    return true;
  return instruction.opcode == "ld" &&
         std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                     [](std::string_view modifier) {
                       return isOneOf(modifier,
                                      {"volatile", "relaxed", "acquire", "mmio", "cv", "cg"});
                     });
}

bool isDeviceFence(const Instruction& instruction) {
  if (instruction.opcode == "membar")
    return !hasModifier(instruction, "cta");
  return instruction.opcode == "fence" &&
         (hasModifier(instruction, "gpu") || hasModifier(instruction, "sys"));
}

bool isClobber(const Instruction& instruction) {
  return isBlockBarrier(instruction) || hasModifier(instruction, "volatile") ||
         isOneOf(instruction.opcode, {"membar", "fence", "call", "nanosleep"});
}

bool asksMemory(const Instruction& instruction, const ptx::Function& function) {
  if (isOneOf(instruction.opcode, {"ld", "ldu"})) {
    if (readsParameters(instruction))
      return instruction.operands.size() < 2 || !isOwnParameter(instruction.operands[1], function);
    return !hasModifier(instruction, "const");
  }
  return isOneOf(instruction.opcode,
                 {"atom", "call", "shfl", "vote", "match", "redux", "activemask", "tex", "tld4",
                  "suld", "ldmatrix", "mma", "wmma", "wgmma", "multimem", "fns"});
}

bool readsSpecial(const Instruction& instruction, std::string_view prefix) {
  return std::any_of(
      instruction.operands.begin(), instruction.operands.end(), [&](const Operand& operand) {
        return operand.kind == Operand::Kind::Special && operand.name.starts_with(prefix);
      });
}

} // namespace gpusched::twins
