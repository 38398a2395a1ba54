// LoopVariables.h - shared variables that only loops name, as variables of their twins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   .shared .align 128 .b8 words[128];     .entry k__gs(...) {
//   .func loop(...) { ... words ... }        .shared .align 128 .b8 words[128];
//                                            ... words ...
//
// nvcc does so itself with what one function names. A variable of the file that several loops name
// would lie behind the kernel's own, where its words are further from an address that ptxas has in
// a register, and its alignment costs shared memory.
#pragma once

#include "tools/gpusched-ptxas/PtxEntries.h"

#include <map>
#include <string>
#include <string_view>

namespace gpusched::cicc {

class LoopVariables {
public:
  /// `loops`: the functions of `ptx` that hold loops, by their symbols. All else stays as it is.
  LoopVariables(const std::string& ptx, const std::map<std::string, ptxas::Entry>& loops);

  /// Where the lines are that declare them for the file, with what is behind each.
  const std::map<size_t, size_t>& lines() const { return lines_; }

  /// Declares what the text of a loop, from its brace on, names.
  std::string declaredIn(std::string loop) const;

private:
  std::map<size_t, size_t> lines_;
  std::map<std::string, std::string> declarations_; ///< by name
};

} // namespace gpusched::cicc
