// Divergence.h - branches that threads of one block, or lanes of one warp, may take differently.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mov.u32 %r1, %tid.x;           %r1 differs between threads
//   setp.ge.s32 %p1, %r1, %r2;     so does %p1
//   @%p1 bra $L__BB0_2;            and so each takes its own way: what is written before the ways
//   mov.b32 %r3, 1;                meet again may differ as well
//
// A register differs if an instruction that writes it reads one that does, asks memory or another
// thread, or runs where not all threads are. Kernel parameters, the index of the block and constant
// memory at such addresses are the same for all; for the lanes of a warp so are %tid.x / 32 and
// %tid.x < 64, if rows of the block are whole warps. Errs towards "differs".
#pragma once

#include "tools/gpusched-ptx/FlowGraph.h"

#include "rt/device/cpu/ptx/Ir.h"

#include <cstdint>
#include <vector>

namespace gpusched::twins {

enum class Among { Threads, Lanes };

class Divergence {
public:
  /// `graph`: of the function. Keeps references to both.
  Divergence(const ptx::Function& function, const FlowGraph& graph, Among among);

  /// Blocks that end with such a branch.
  const std::vector<uint32_t>& branches() const { return branches_; }

private:
  bool differs(const ptx::Instruction& instruction) const;
  bool isOfWholeWarps(const ptx::Instruction& instruction) const;
  bool spread();
  bool findBranches();

  const ptx::Function& function_;
  const FlowGraph& graph_;
  const Among among_;
  std::vector<bool> columns_;   ///< registers that hold %tid.x and nothing else
  std::vector<bool> registers_; ///< that differ
  BlockSet apart_;              ///< blocks that some threads run while others do not
  std::vector<uint32_t> branches_;
};

} // namespace gpusched::twins
