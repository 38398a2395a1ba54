// BlockWaits.h - loops of a PTX function in which a block may wait for another one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   $L:  ld.acquire.gpu.u32 %r1, [%rd1];
//        setp.ne.s32 %p1, %r1, %r2;
//        @%p1 bra $L;                       until another block has written there
//
// A persistent launch runs the blocks of a grid a few at a time, so one that waits for a block that
// has not begun waits for ever. A loop counts as such a wait if what ends it comes from memory, and
//   - it asks memory of the device anew: by volatile, acquire or relaxed loads, by atomics whose
//     answer somebody reads, by calls; or
//   - it reads that memory and holds a fence of the device, or reads one place of it and holds a
//     barrier or what else makes the compiler read again.
// If shared memory, a lane or a callee says when it ends, whatever of this it holds counts, else
// what the end depends on. Not so: what is for the block alone (.cta), compare-and-swaps that try
// again with what they were told or at another place, and additions that get on by themselves.
// Locks do count, and look-back scans, though they would be safe: PTX does not show who will
// answer.
#pragma once

#include "tools/gpusched-ptx/FlowGraph.h"

#include "rt/device/cpu/ptx/Ir.h"

#include <string>

namespace gpusched::twins {

struct LoopFacts {
  bool any = false;      ///< loops, or calls that may hold some
  bool onlyCount = true; ///< every loop ends by what registers count, whatever memory holds
  std::string waits;     ///< the instruction by which it may wait; "" = none does
};

/// `graph`: of the function.
LoopFacts loopFacts(const ptx::Function& function, const FlowGraph& graph);

} // namespace gpusched::twins
