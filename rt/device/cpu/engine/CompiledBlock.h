// CompiledBlock.h - blocks of straight-line code that run compiled once they are hot.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: the interpreter spends most of its time reading and writing registers and looking at
// addresses, not computing.
// Model: the decoder puts an entry before every block. The entry counts whole warps; once they have
// spent about twice as long in the block as compiling takes, it runs the block in the interpreter
// once more, noting how the addresses lie, and has it compiled for such addresses. From then on
// whole warps run the compiled block. It checks the addresses; where they lie otherwise or are bad
// it stops before that micro-op, with all registers in the frame, and the interpreter goes on from
// there. So nothing but speed depends on what was noted, and no program loses more than it has run.
// Warps with some lanes off, and modes that look at single instructions (counters, checks, the
// hang monitor), always interpret: their code has no entries, or skips them.
// Threads: the entry of a block is shared by all workers; `code` is written once. One worker
// compiles at a time, the others interpret meanwhile.
#pragma once

#include "rt/device/cpu/engine/BlockCode.h"

#include <atomic>

namespace gpusched::cpu {

struct DecodedFunction;

struct CompiledBlock {
  const DecodedFunction* function = nullptr;
  uint32_t firstOp = 0;  // behind the entry; index into the first copy
  uint32_t count = 0;    // of micro-ops
  uint32_t hotAfter = 0; // runs
  bool writesGlobal = false;
  std::atomic<uint32_t> runs{0};
  std::atomic<bool> recorded{false};
  std::atomic<BlockFunction> code{nullptr};
  BlockSource source; // whoever set `recorded` fills it
};

/// An op that no block goes past.
inline bool endsBlock(const MicroOp& op) {
  return op.opClass == OpClass::Control || op.opClass == OpClass::Barrier;
}

/// False if GPUSCHED_JIT says so, and where there is no compiler.
bool compilesBlocks();
/// The runs after which a block of so many ops is compiled.
uint32_t hotAfter(uint32_t ops);
/// In this process so far.
uint64_t compiledBlocks();

namespace handlers {
/// `immediate` is the CompiledBlock.
const MicroOp* enterBlock(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp);
} // namespace handlers

} // namespace gpusched::cpu
