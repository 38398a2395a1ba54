// BlockCode.h - what the engine tells the block compiler, and what it gets back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler is a library of its own (rt/device/cpu/jit), opened when it is asked for: it needs
// LLVM, which nothing else in the engine does. Both sides are built from this header.
#pragma once

#include "rt/device/cpu/engine/MicroOp.h"
#include "rt/device/cpu/engine/OpMeaning.h"

#include <vector>

namespace gpusched::cpu {

/// How the addresses of the 32 lanes lay when the block was recorded: equal within groups of so
/// many lanes, or rising there by the bytes of one access. 0: in another way.
struct AddressShape {
  uint8_t group = 0;
  bool rises = false;
};

/// A slot and the PTX instructions, both included, between which it holds a register's value.
struct SlotLife {
  uint32_t slot, first, last;
};

struct ConstantSlot {
  uint32_t slot;
  uint8_t bytes;
  uint64_t bits;
};

struct BlockSource {
  const MicroOp* ops = nullptr; // in the first copy of the code; one more follows them
  uint32_t count = 0;
  std::vector<OpMeaning> meanings;  // by op
  std::vector<AddressShape> shapes; // by op
  const std::vector<SlotLife>* lives = nullptr;
  const std::vector<ConstantSlot>* constants = nullptr;
};

/// Runs the block from its first op, in the copy that `first` is in, for all 32 lanes; returns
/// where the warp goes on, which may be an op of the block that the interpreter must execute.
using BlockFunction = const MicroOp* (*)(uint8_t* frame, const MicroOp* first, Warp* warp,
                                         uint8_t* shared, uint64_t sharedBytes,
                                         const MicroOp** memoryOp, const uint8_t* parameters);

/// Null if the block cannot be compiled. One call at a time. Code is never freed.
using CompileBlock = BlockFunction (*)(const BlockSource& source);
inline constexpr char kCompileBlockName[] = "gpusched_compile_block_1";
inline constexpr char kJitLibrary[] = "libgpusched_jit.so";

} // namespace gpusched::cpu
