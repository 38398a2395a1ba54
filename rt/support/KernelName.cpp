// KernelName.cpp - demangles a symbol and cuts it to its name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/support/KernelName.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace gpusched {

/// Numba has two tags in each symbol, one of 60 letters.
static std::string withoutTags(std::string name) {
  for (size_t begin; (begin = name.find("[abi:")) != std::string::npos;) {
    const size_t end = name.find(']', begin);
    name.erase(begin, end == std::string::npos ? end : end + 1 - begin);
  }
  return name;
}

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) // "f" alone would be the type float
    return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return text ? text.get() : symbol;
}

std::string kernelName(const std::string& symbol) {
  std::string name = demangled(symbol);
  if (!name.ends_with(')')) // no parameters: it is no function's
    return withoutTags(name);
  if (name.starts_with("void ")) // of templates
    name.erase(0, 5);
  size_t end = name.size();
  for (int depth = 0; end > 0;) { // the parameters' own parentheses are inside theirs
    --end;
    depth += name[end] == ')' ? 1 : name[end] == '(' ? -1 : 0;
    if (depth == 0)
      break;
  }
  return withoutTags(name.substr(0, end));
}

} // namespace gpusched
