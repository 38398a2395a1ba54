// Waits.cpp - one scan of each text, then a closure over callees.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cicc/Waits.h"

#include "tools/gpusched-cicc/WaitText.h"

#include <algorithm>
#include <set>

namespace gpusched::cicc {
namespace {

constexpr Waits kAll = {true, true, true, true, true};

/// What an instruction may write: its operands up to the first comma, with the braces around them.
std::string_view firstOperandOf(std::string_view instruction) {
  const size_t opcode = instruction.find_first_of(ptxas::kBlanks);
  const size_t begin =
      std::min(instruction.find_first_not_of(ptxas::kBlanks, opcode), instruction.size());
  const bool isVector = instruction.substr(begin).starts_with('{');
  const size_t from = isVector ? instruction.find('}', begin) : begin;
  return instruction.substr(begin, instruction.find(',', from) - begin);
}

/// "mov.b32 %r7, -1" of "$L__BB0_1:\n\t// comment\n\t@%p1 mov.b32 %r7, -1".
std::string_view instructionOf(std::string_view statement) {
  for (size_t at = statement.find_first_not_of("{} \t\n\r"); at < statement.size();
       at = statement.find_first_not_of("{} \t\n\r", at)) {
    const size_t end = std::min(statement.find_first_of(ptxas::kBlanks, at), statement.size());
    if (statement.substr(at).starts_with("//"))
      at = std::min(statement.find('\n', at), statement.size());
    else if (statement[at] == '@' || statement[end - 1] == ':')
      at = end;
    else
      return statement.substr(at);
  }
  return {};
}

/// Registers to which the text moves all ones, and nothing else.
std::set<std::string_view> wholeWarpsIn(std::string_view text) {
  std::set<std::string_view> ones, others;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(';', at), text.size());
    const std::string_view instruction = instructionOf(text.substr(at, end - at));
    at = end + 1;
    const std::string_view written =
        instruction.empty() ? instruction : firstOperandOf(instruction);
    if (instruction.starts_with("mov.") && instruction.ends_with(", -1"))
      ones.insert(written);
    else
      for (size_t word = 0; word < written.size();) {
        const size_t wordEnd = ptxas::wordEnd(written, word);
        others.insert(written.substr(word, wordEnd - word));
        word = std::max(wordEnd, word + 1);
      }
  }
  for (const std::string_view other : others)
    ones.erase(other);
  return ones;
}

Waits waitsIn(std::string_view text) {
  Waits found;
  std::set<std::string_view> wholeWarps;
  bool lookedForThem = false; // most texts have no primitives
  for (size_t at = 0; at < text.size();) {
    const size_t end = ptxas::wordEnd(text, at);
    const bool isInstruction = end > at && (at == 0 || text[at - 1] != '.');
    const Wait wait = {text.substr(at, end - at), text.substr(end, text.find(';', end) - end)};
    at = std::max(end, at + 1);
    if (!isInstruction) {
      found.shared |= wait.word.starts_with("shared"); // st.shared, cvta.to.shared
      continue;
    }
    if (!lookedForThem && waitsOf(wait, wholeWarps).masked) {
      wholeWarps = wholeWarpsIn(text);
      lookedForThem = true;
    }
    found.add(waitsOf(wait, wholeWarps));
  }
  return found;
}

} // namespace

void Waits::add(const Waits& other) {
  barriers |= other.barriers;
  questions |= other.questions;
  primitives |= other.primitives;
  masked |= other.masked;
  shared |= other.shared;
}

Drain Waits::drain() const {
  return masked       ? Drain::AnyLanes
         : primitives ? Drain::Lanes
         : barriers   ? Drain::Barriers
                      : Drain::Nothing;
}

Waits WaitCensus::of(const ptxas::Entry& kernel) {
  Waits found = inTextOf(kernel);
  std::set<std::string> open = ptxas::calleesOf(ptx_, kernel), seen;
  while (!open.empty()) {
    const std::string symbol = open.extract(open.begin()).value();
    if (!seen.insert(symbol).second || ptxas::isSystemCall(symbol))
      continue;
    const auto function = functions_.find(symbol);
    if (function == functions_.end())
      return kAll;
    found.add(inTextOf(function->second));
    open.merge(ptxas::calleesOf(ptx_, function->second));
  }
  return found;
}

const Waits& WaitCensus::inTextOf(const ptxas::Entry& function) {
  const auto known = known_.find(function.symbol);
  return known != known_.end()
             ? known->second
             : known_.emplace(function.symbol, waitsIn(ptxas::bodyOf(ptx_, function)))
                   .first->second;
}

} // namespace gpusched::cicc
