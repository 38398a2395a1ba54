// BatchPlace.cuh - where thread 0 says which ids its worker's next batch has.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two pairs of words, used by turns: while thread 0 writes the next batch into one, other warps
// still read from the other one where this batch ends. By assembly, and as an address: of an index
// ptxas keeps in registers, beside it, all that is made of it, through the whole body.
#pragma once

namespace gpusched {

/// A thread's. Ids from the first to behind the last; none where they are equal.
class BatchPlace {
public:
  /// `words`: 16 bytes of shared memory, at a multiple of that.
  __device__ __forceinline__ explicit BatchPlace(const void* words)
      : at_(unsigned(::__cvta_generic_to_shared(words))) {}

  __device__ __forceinline__ void turn() { asm volatile("xor.b32 %0, %0, 8;" : "+r"(at_)); }

  __device__ __forceinline__ void write(unsigned first, unsigned end) const {
    asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(at_), "r"(first), "r"(end));
  }
  __device__ __forceinline__ uint2 read() const {
    uint2 ids;
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(ids.x), "=r"(ids.y) : "r"(at_));
    return ids;
  }
  __device__ __forceinline__ unsigned end() const {
    unsigned end;
    asm volatile("ld.volatile.shared.u32 %0, [%1+4];" : "=r"(end) : "r"(at_));
    return end;
  }

private:
  unsigned at_;
};

} // namespace gpusched
