// BlockDrain.cuh - block barriers, where some threads have left the body.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   inside:   meet(1)      in place of __syncthreads()
//   outside:  meet(0), until nobody said 1
//
// Lanes of one warp may be on both sides. So meet() is one function with one barrier, which all of
// them call, and the barrier is one that the lanes of a warp may reach at different times:
// barrier.red without .aligned, for which ptxas lets them wait for one another and then arrive
// together. With .aligned, which __syncthreads_or() has, each group of lanes arrives by itself, and
// the block waits for ever. At two such instructions all of them seem to arrive with the code of
// one, which may put the answer where the others do not look for it: on an H200 single barriers
// were right and barriers in loops hung.
//
// Nor may ptxas let those who leave wait for their warp before they meet the others' barriers. It
// does, with BSYNC, where all ways out of the body lead. So gpusched-cicc gives each of them a loop
// of its own (tools/gpusched-cicc/BodyText.h). Outlined twins have but one: gpusched-cc does not
// make them (GS042).
#pragma once

namespace gpusched {

struct BlockDrain {
  /// All threads of the block call it, for one barrier. Did anybody say something else than 0?
  static __device__ __noinline__ unsigned meet(unsigned said) {
    unsigned any;
    asm volatile("{ .reg .pred in, some; setp.ne.u32 in, %1, 0; barrier.red.or.pred some, 0, in; "
                 "selp.u32 %0, 1, 0, some; }"
                 : "=r"(any)
                 : "r"(said)
                 : "memory");
    return any;
  }
};

} // namespace gpusched
