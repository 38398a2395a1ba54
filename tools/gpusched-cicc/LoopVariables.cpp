// LoopVariables.cpp - one search of the text for each variable.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cicc/LoopVariables.h"

#include "tools/gpusched-cicc/BodyText.h"

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
bool isOfLoops(const std::string& ptx, const std::string& name, const Loops& loops) {
  size_t inside = 0, outside = 0;
  for (size_t at = ptx.find(name); at != ptx.npos && outside < 2; at = ptx.find(name, at + 1))
    ++(isInLoop(at, loops) ? inside : outside);
  return inside > 0 && outside == 1;
}

} // namespace

LoopVariables::LoopVariables(const std::string& ptx, const Loops& loops) {
  if (loops.empty())
    return;
  for (size_t at = ptx.find(kDirective); at != ptx.npos; at = ptx.find(kDirective, at + 1)) {
    const size_t begin = at + 1, end = std::min(ptx.find('\n', begin), ptx.size());
    const std::set<std::string> names = sharedVariables({ptx.data() + begin, end - begin});
    const std::string& name = *names.begin(); // the directive is followed by one
    if (!isOfLoops(ptx, name, loops))
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
