// CountingBarriers.cuh - what __syncthreads_count and its like mean inside an outlined body.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters or members of those names, in kernels that threads leave early; see CountingDrain.cuh.
#pragma once

#include "CountingDrain.cuh"
#include "LaneDrain.cuh"

namespace gpusched {

#define GPUSCHED_COUNTING_BARRIER(NAME, SAID, ANSWER)                                              \
  struct CountingBarrier##NAME {                                                                   \
    bool drains;                                                                                   \
    bool lanes;                                                                                    \
    __device__ __forceinline__ int operator()(int predicate) const {                               \
      if (!drains)                                                                                 \
        return ::NAME(predicate);                                                                  \
      if (lanes)                                                                                   \
        LaneDrain::meetForBarrier();                                                               \
      const int count = CountingDrain::inside(SAID);                                               \
      return ANSWER;                                                                               \
    }                                                                                              \
  };
GPUSCHED_COUNTING_BARRIER(__syncthreads_count, predicate, count)
GPUSCHED_COUNTING_BARRIER(__syncthreads_or, predicate, count != 0)
GPUSCHED_COUNTING_BARRIER(__syncthreads_and, !predicate, count == 0)
#undef GPUSCHED_COUNTING_BARRIER

} // namespace gpusched
