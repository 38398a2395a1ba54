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
//   - it asks memory of the device anew: by volatile, acquire or relaxed loads, by atomics; or
//   - it reads one place of that memory again and again.
// Not so where the atomics are compare-and-swaps that try again with what they were told: nobody is
// waited for there. Locks do count, and look-back scans, though they would be safe: PTX does not
// show who will answer. Errs towards "waits".
#pragma once

#include "rt/device/cpu/ptx/Ir.h"

#include <string>

namespace gpusched::twins {

struct LoopFacts {
  bool any = false;      ///< loops, or calls that may hold some
  bool onlyCount = true; ///< every loop ends by what registers count, whatever memory holds
  std::string waits;     ///< the instruction by which it may wait; "" = none does
};

LoopFacts loopFacts(const ptx::Function& function);

} // namespace gpusched::twins
