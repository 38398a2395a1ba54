// CompiledBlock.h - blocks of straight-line code that run compiled once they are hot.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: the interpreter spends most of its time reading and writing registers and looking at
// addresses, not computing.
// Model: GPUSCHED_JIT=N makes the decoder put an entry before every block. The entry counts; at the
// N-th time that a whole warp comes it runs the block in the interpreter once more, noting how the
// addresses lie, and has it compiled for such addresses. From then on whole warps run the compiled
// block. It checks the addresses; where they lie otherwise or are bad it stops before that
// micro-op, with all registers in the frame, and the interpreter goes on from there. So nothing
// but speed depends on what was noted.
// Warps with some lanes off, and modes that look at single instructions (counters, checks, the
// hang monitor), always interpret: their code has no entries, or skips them.
// Threads: the entry of a block is shared by all workers; `code` is written once.
#pragma once

#include "rt/device/cpu/engine/BlockCode.h"

#include <atomic>

namespace gpusched::cpu {

struct DecodedFunction;

struct CompiledBlock {
  const DecodedFunction* function = nullptr;
  uint32_t firstOp = 0; // behind the entry; index into the first copy
  uint32_t count = 0;   // of micro-ops
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

/// After how many runs a block is compiled; 0: never, also where the library cannot be opened.
uint32_t compileAfter();
/// In this process so far.
uint64_t compiledBlocks();

namespace handlers {
/// `immediate` is the CompiledBlock.
const MicroOp* enterBlock(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp);
} // namespace handlers

} // namespace gpusched::cpu
