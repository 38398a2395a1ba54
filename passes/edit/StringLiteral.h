// StringLiteral.h - a text as a literal of C, and as the name in a #line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gpusched::passes {

inline std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\')
      result += '\\';
    result += character;
  }
  return result + "\"";
}

} // namespace gpusched::passes
