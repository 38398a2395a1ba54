// FlowGraph.h - the basic blocks of a PTX function, and what follows from their edges alone.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/ptx/Ir.h"

#include <cstdint>
#include <vector>

namespace gpusched::twins {

/// A set of blocks, one place for each.
using BlockSet = std::vector<bool>;

struct BasicBlock {
  uint32_t begin = 0, end = 0; ///< instructions of Function::body
  std::vector<uint32_t> next, before;
};

/// Blocks that are left by one edge at least, back to `header`.
struct Loop {
  uint32_t header = 0;
  BlockSet blocks;
};

/// Immutable; keeps a reference to nothing.
class FlowGraph {
public:
  explicit FlowGraph(const ptx::Function& function);

  /// Block 0 is entered first. The last one has no instructions: it is where the function ends. A
  /// trap leads nowhere.
  const std::vector<BasicBlock>& blocks() const { return blocks_; }
  uint32_t exit() const { return static_cast<uint32_t>(blocks_.size() - 1); }
  uint32_t blockOf(uint32_t instruction) const { return blockOf_[instruction]; }
  bool isReached(uint32_t block) const { return dominator_[block] != kNone; }

  /// Does every way to `block` lead through `by`? A block dominates itself.
  bool isDominated(uint32_t block, uint32_t by) const;

  /// What runs between the branch at the end of `block` and where all its ways meet again, which
  /// is not one of them; without a common end everything that can follow.
  BlockSet between(uint32_t block) const;
  /// Where they meet; the exit, if nowhere earlier.
  uint32_t meeting(uint32_t block) const;

  /// Loops with one header are one.
  const std::vector<Loop>& loops() const { return loops_; }
  /// Is there a way back that is none to a block that dominates where it comes from?
  bool hasOtherCycles() const { return hasOtherCycles_; }

private:
  static constexpr uint32_t kNone = 0xffffffffu;
  void split(const ptx::Function& function);
  void connect(const ptx::Function& function);
  void findLoops();

  std::vector<BasicBlock> blocks_;
  std::vector<uint32_t> blockOf_;
  std::vector<uint32_t> dominator_, postDominator_; ///< immediate; kNone: unreached
  std::vector<Loop> loops_;
  bool hasOtherCycles_ = false;
};

/// True for what ends a block: a branch, or the end of the function or thread.
bool endsBlock(const ptx::Instruction& instruction);

} // namespace gpusched::twins
