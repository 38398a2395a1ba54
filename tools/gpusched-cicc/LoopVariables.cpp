// LoopVariables.cpp - one search of the text for each variable.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cicc/LoopVariables.h"

#include <algorithm>

namespace gpusched::cicc {
namespace {

using Loops = std::map<std::string, ptxas::Entry>;

/// Of this file, what is in functions begins with a tab.
constexpr std::string_view kDirective = "\n.shared ";

bool isInLoop(size_t at, const Loops& loops) {
  return std::any_of(loops.begin(), loops.end(), [&](const auto& loop) {
    return at >= loop.second.bodyBegin && at < loop.second.end;
  });
}

/// Is the name, but for its declaration, in loops alone?
bool isOfLoops(const std::string& ptx, const std::string& name, size_t declaration,
               const Loops& loops) {
  bool isNamed = false;
  for (size_t at = ptx.find(name); at != ptx.npos; at = ptx.find(name, at + 1)) {
    if (at == declaration)
      continue;
    if (!isInLoop(at, loops))
      return false;
    isNamed = true;
  }
  return isNamed;
}

} // namespace

LoopVariables::LoopVariables(const std::string& ptx, const Loops& loops) {
  if (loops.empty())
    return;
  for (size_t at = ptx.find(kDirective); at != ptx.npos; at = ptx.find(kDirective, at + 1)) {
    const size_t begin = at + 1, end = ptx.find('\n', begin);
    // .shared .align 128 .b8 name[128];
    const size_t bracket = ptx.find('[', begin);
    if (end == ptx.npos || bracket > end || ptx[end - 1] != ';')
      continue;
    const size_t first = ptx.rfind(' ', bracket) + 1;
    const std::string name = ptx.substr(first, bracket - first);
    if (!isOfLoops(ptx, name, first, loops))
      continue;
    lines_[begin] = end + 1;
    declarations_[name] = ptx.substr(begin, end + 1 - begin);
  }
}

std::string LoopVariables::declaredIn(std::string loop) const {
  std::string named;
  for (const auto& [name, declaration] : declarations_)
    if (loop.find(name) != std::string::npos)
      named += "\n\t" + declaration;
  return loop.insert(1, named);
}

} // namespace gpusched::cicc
