// AssemblyText.cpp - searches of PTX without reading it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/AssemblyText.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace gpusched::passes {
namespace {

bool isWordCharacter(char character) {
  return llvm::isAlnum(character) || character == '_';
}

/// Registers may be called `ret`, so it counts only where nothing follows that belongs to it.
bool isReturn(llvm::StringRef behind) {
  return behind.starts_with(".uni") || behind.ltrim().empty() || behind.ltrim().starts_with(";");
}

/// `{ .reg .b32 ret; ... mov.b32 %0, ret; }`: names behind a type or a comma.
bool isOperand(llvm::StringRef before) {
  before = before.rtrim();
  if (before.empty() || llvm::StringRef(";{}:").contains(before.back()))
    return false;
  const std::size_t word = before.find_last_of(" \t\n;{}:");
  return before[word == llvm::StringRef::npos ? 0 : word + 1] != '@';
}

} // namespace

bool contains(llvm::StringRef text, std::initializer_list<const char*> pieces) {
  return std::any_of(pieces.begin(), pieces.end(),
                     [&](const char* piece) { return text.contains(piece); });
}

bool hasWord(llvm::StringRef text, std::initializer_list<const char*> pieces) {
  for (const llvm::StringRef piece : pieces)
    for (std::size_t at = text.find(piece); at != llvm::StringRef::npos;
         at = text.find(piece, at + 1))
      if (at == 0 || !llvm::isAlnum(text[at - 1]))
        return true;
  return false;
}

bool endsThreads(llvm::StringRef text) {
  for (const llvm::StringRef word : {"exit", "ret"})
    for (std::size_t at = text.find(word); at != llvm::StringRef::npos;
         at = text.find(word, at + 1)) {
      const llvm::StringRef before = text.take_front(at),
                            behind = text.drop_front(at + word.size());
      const bool isWord =
          (before.empty() || (!isWordCharacter(before.back()) && before.back() != '.')) &&
          (behind.empty() || !isWordCharacter(behind.front()));
      if (isWord && (word == "exit" || (isReturn(behind) && !isOperand(before))))
        return true;
    }
  return false;
}

bool waitsForLanes(llvm::StringRef text) {
  constexpr llvm::StringRef modifier = ".sync";
  for (std::size_t at = text.find(modifier); at != llvm::StringRef::npos;
       at = text.find(modifier, at + 1)) {
    const llvm::StringRef before = text.take_front(at),
                          behind = text.drop_front(at + modifier.size());
    const std::size_t begin = before.find_last_of(" \t\n;{}");
    const llvm::StringRef opcode =
        before.drop_front(begin == llvm::StringRef::npos ? 0 : begin + 1).split('.').first;
    const bool isBlocks = (opcode == "bar" && !before.ends_with("warp")) || opcode == "barrier";
    if (!isBlocks && (behind.empty() || !isWordCharacter(behind.front())))
      return true;
  }
  return false;
}

std::string onOneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char character) { return llvm::isSpace(character); }, ' ');
  return text;
}

} // namespace gpusched::passes
