// LoopTexts.cpp - takes functions and variables by their names out of one PTX text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptx/LoopTexts.h"

#include "rt/include/gpusched/LaunchAbi.h"
#include "tools/gpusched-cicc/BodyText.h"
#include "tools/gpusched-ptxas/PtxEntries.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

// The build compiles Loops.cu to this file.
asm(".section .rodata\n"
    "gpusched_loops_begin: .incbin \"" GPUSCHED_LOOPS_PTX "\"\n"
    "gpusched_loops_end: .byte 0\n"
    ".text\n");
extern const char gpusched_loops_begin[] asm("gpusched_loops_begin");
extern const char gpusched_loops_end[] asm("gpusched_loops_end");

namespace gpusched::twins {
namespace {

using cicc::kDrain;
using ptxas::Entry;

struct Parts {
  std::map<std::string, Entry> functions;
  std::map<std::string, std::string> variables; ///< their lines
  std::map<std::string, std::string> loops;     ///< symbols by the names of the kernels
};

/// ".shared .align 128 .b8 words[128];", by name.
void addVariables(const std::string& ptx, Parts& parts) {
  for (size_t at = 0; at < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', at), ptx.size() - 1) + 1;
    const std::string line = ptx.substr(at, end - at);
    if (line.starts_with(".shared ") || line.starts_with(".extern .shared "))
      for (const std::string& name : cicc::sharedVariables(line))
        parts.variables[name] = line;
    at = end;
  }
}

Parts readParts() {
  const std::string& ptx = compiledLoops();
  Parts parts;
  for (const Entry& function : ptxas::findFunctions(ptx))
    parts.functions[function.symbol] = function;
  for (const Entry& kernel : ptxas::findEntries(ptx))
    for (const std::string& callee : ptxas::calleesOf(ptx, kernel))
      parts.loops[kernel.symbol] = callee;
  addVariables(ptx, parts);
  return parts;
}

const Parts& parts() {
  static const Parts read = readParts();
  return read;
}

std::string withDrain(std::string symbol, size_t digit, int number) {
  symbol[digit] = static_cast<char>('0' + number);
  return symbol;
}

/// Of the loop, and of the same loops that drain less.
std::set<std::string> withLess(const std::set<std::string>& loops) {
  std::set<std::string> all;
  for (const std::string& symbol : loops) {
    const size_t digit = symbol.find(kDrain) + kDrain.size();
    for (int number = symbol[digit] - '0'; number >= 0; --number)
      if (const std::string less = withDrain(symbol, digit, number); parts().functions.count(less))
        all.insert(less);
  }
  return all;
}

/// The names in a text.
std::set<std::string> wordsOf(std::string_view text) {
  std::set<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = ptxas::wordEnd(text, at);
    if (end > at)
      words.insert(std::string(text.substr(at, end - at)));
    at = std::max(end, at + 1);
  }
  return words;
}

} // namespace

const std::string& compiledLoops() {
  // Hints that texts of an older version may not have.
  static const std::string text = ptxas::withoutLines(
      std::string_view(gpusched_loops_begin, gpusched_loops_end - gpusched_loops_begin),
      [](std::string_view line) { return line.find("used_bytes_mask") != line.npos; });
  return text;
}

std::string symbolOfLoop(const std::string& name, cicc::Drain drain) {
  const auto found = parts().loops.find(name);
  if (found == parts().loops.end())
    return "";
  const size_t digit = found->second.find(kDrain) + kDrain.size();
  const bool counts = found->second[digit] > cicc::digitOf(cicc::Drain::AnyLanes);
  return counts ? found->second : withDrain(found->second, digit, static_cast<int>(drain));
}

std::string launchParameter(const std::string& name) {
  return ".param .align 8 .b8 " + name + "[" + std::to_string(sizeof(gpusched_params)) + "]";
}

std::string textOf(const std::set<std::string>& loops) {
  const std::string& ptx = compiledLoops();
  std::set<std::string> functions, variables, open = withLess(loops);
  while (!open.empty()) {
    const std::string symbol = open.extract(open.begin()).value();
    if (!functions.insert(symbol).second)
      continue;
    for (const std::string& word : wordsOf(ptxas::bodyOf(ptx, parts().functions.at(symbol)))) {
      if (parts().functions.count(word))
        open.insert(word);
      if (parts().variables.count(word))
        variables.insert(word);
    }
  }
  std::string declarations, definitions;
  for (const std::string& name : variables)
    declarations += parts().variables.at(name);
  for (const std::string& symbol : functions) {
    const Entry& function = parts().functions.at(symbol);
    declarations += ptxas::prototypeOf(ptx, function);
    definitions += ptx.substr(function.begin, function.end - function.begin) + "\n";
  }
  return "\n" + declarations + definitions;
}

} // namespace gpusched::twins
