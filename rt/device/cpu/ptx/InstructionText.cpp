// InstructionText - an instruction as one line of text, for messages.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works on the source, not on tokens, so the reader sees what the compiler wrote. Instructions
// hold no strings, so a comment marker is always a comment.
#include "rt/device/cpu/ptx/InstructionText.h"

#include <algorithm>

namespace gpusched::ptx {

namespace {

bool isBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// The position after the comment that starts at `position`; `position` when none does.
std::size_t skipComment(std::string_view source, std::size_t position) {
  const std::string_view rest = source.substr(position);
  if (rest.starts_with("//"))
    return std::min(source.size(), source.find('\n', position));
  if (!rest.starts_with("/*"))
    return position;
  const std::size_t end = source.find("*/", position + 2);
  return end == std::string_view::npos ? source.size() : end + 2;
}

} // namespace

std::string instructionText(std::string_view source) {
  std::string text;
  bool blank = false;
  for (std::size_t i = 0; i < source.size();) {
    const std::size_t next = skipComment(source, i);
    if (next != i || isBlank(source[i])) {
      blank = true;
      i = std::max(next, i + 1);
      continue;
    }
    if (blank && !text.empty())
      text += ' ';
    blank = false;
    text += source[i++];
  }
  return text;
}

} // namespace gpusched::ptx
