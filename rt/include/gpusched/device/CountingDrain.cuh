// CountingDrain.cuh - block barriers that ask their threads, where some have left the body.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   inside:   count(p), and count(1) if that was 0        a plain barrier: count(1)
//   outside:  count(0), until two in a row were 0
//
// Elsewhere those who have left arrive with 0 at barriers where the others say 1, so they know
// whether somebody is still inside (BodyBarrier). __syncthreads_count(p) has no such word to
// spare, and PTX does not say what becomes of barrier.red.or that meets barrier.red.popc. So in a
// kernel that has one, all barriers are barrier.red.popc, and an answer of 0 while somebody is
// inside is followed by one that is not 0. Whoever leaves comes from an answer that was not 0, or
// from the beginning, so all that are outside count the same zeros, and all leave together.
// Those who have left are counted as nobody: they say 0 to _count and _or, and _and counts the
// threads that say no.
#pragma once

namespace gpusched {

struct CountingDrain {
  /// All threads that are inside call it. Returns how many of them said yes.
  static __device__ __forceinline__ int inside(int predicate) {
    const int yes = countApart(predicate);
    if (yes == 0)
      countApart(1);
    return yes;
  }

  /// How many threads said something else than 0 at one barrier. One function, see BlockDrain.cuh.
  static __device__ __noinline__ unsigned countApart(unsigned said) {
    unsigned all;
    asm volatile("{ .reg .pred in; setp.ne.u32 in, %1, 0; barrier.red.popc.u32 %0, 0, in; }"
                 : "=r"(all)
                 : "r"(said)
                 : "memory");
    return all;
  }

  /// All threads that are outside call it, for one barrier. Returns whether somebody is inside.
  static __device__ __forceinline__ bool outside() {
    return countApart(0) != 0 || countApart(0) != 0;
  }
};

} // namespace gpusched
