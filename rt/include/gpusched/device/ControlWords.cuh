// ControlWords.cuh - the words that workers of a launch share, as their threads 0 reach them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By assembly. Where ptxas can tell that all lanes of a warp add one number, it adds them up first
// (there is only one lane here), which takes registers, and waits for the old value at once, which
// is before the body. So ones are counted with inc and dec, which it leaves alone as long as their
// limit is not the largest number.
#pragma once

#include "../LaunchAbi.h"

#include <stddef.h>

namespace gpusched {

/// The words of a control block, by the one thread that speaks for its worker.
class ControlWords {
public:
  __device__ __forceinline__ explicit ControlWords(gpusched_control* control)
      : at_(::__cvta_generic_to_global(control)) {}

  /// For several words in a row, by the thread whose threadIdx.x is 0. Of an address in constant
  /// memory ptxas makes a pair of registers for each word, and keeps those of the last words from
  /// the kernel's start on; of one that it does not know it keeps a pair, for as long as it is
  /// used.
  static __device__ __forceinline__ ControlWords inRegisters(gpusched_control* control) {
    unsigned zero;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(zero));
    return ControlWords(
        reinterpret_cast<gpusched_control*>(reinterpret_cast<char*>(control) + zero));
  }

  __device__ __forceinline__ unsigned next() const { return load<0>(); }
  __device__ __forceinline__ unsigned budget() const {
    return load<unsigned(offsetof(gpusched_control, workers_per_sm))>();
  }
  __device__ __forceinline__ unsigned finished() const {
    return load<unsigned(offsetof(gpusched_control, finished))>();
  }

  __device__ __forceinline__ unsigned maskWord(unsigned index) const {
    unsigned word;
    asm volatile("ld.global.u32 %0, [%1+%2];"
                 : "=r"(word)
                 : "l"(at_ + 4 * index), "n"(unsigned(offsetof(gpusched_control, sm_mask))));
    return word;
  }

  /// The low word is enough: total stays below 2^32 - 2^20, and only workers that found work when
  /// they came overshoot, by one each.
  __device__ __forceinline__ unsigned claim() const {
    unsigned id;
    asm volatile("atom.global.inc.u32 %0, [%1], 0xfffffffe;" : "=r"(id) : "l"(at_));
    return id;
  }
  /// One more worker has left; returns how many they were.
  __device__ __forceinline__ unsigned countLeft() const {
    return increment<unsigned(offsetof(gpusched_control, left))>(at_);
  }
  /// By the only worker that has not left.
  __device__ __forceinline__ void setLeft(unsigned workers) const {
    asm volatile("st.volatile.global.u32 [%0+%1], %2;" ::"l"(at_),
                 "n"(unsigned(offsetof(gpusched_control, left))), "r"(workers));
  }
  /// One more worker on this SM; returns how many they were.
  __device__ __forceinline__ unsigned enterSm(unsigned sm) const {
    return increment<unsigned(offsetof(gpusched_control, sm_slots))>(at_ + 4 * sm);
  }
  __device__ __forceinline__ void leaveSm(unsigned sm) const {
    asm volatile("red.global.dec.u32 [%0+%1], 0xfffffffe;" ::"l"(at_ + 4 * sm),
                 "n"(unsigned(offsetof(gpusched_control, sm_slots))));
  }
  __device__ __forceinline__ void addFinished(unsigned blocks) const {
    asm volatile("red.global.add.u32 [%0+%1], %2;" ::"l"(at_),
                 "n"(unsigned(offsetof(gpusched_control, finished))), "r"(blocks));
  }
  /// By the last worker.
  __device__ __forceinline__ void setNext(unsigned claim) const {
    asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(at_), "r"(claim));
  }
#ifdef GPUSCHED_TELEMETRY
  __device__ __forceinline__ gpusched_telemetry* telemetry() const {
    gpusched_telemetry* buffer;
    asm volatile("ld.volatile.global.u64 %0, [%1+%2];"
                 : "=l"(buffer)
                 : "l"(at_), "n"(unsigned(offsetof(gpusched_control, telemetry))));
    return buffer;
  }
#endif

private:
  /// Returns what the word was.
  template <unsigned kOffset> static __device__ __forceinline__ unsigned increment(size_t at) {
    unsigned before;
    asm volatile("atom.global.inc.u32 %0, [%1+%2], 0xfffffffe;"
                 : "=r"(before)
                 : "l"(at), "n"(kOffset));
    return before;
  }
  template <unsigned kOffset> __device__ __forceinline__ unsigned load() const {
    unsigned value;
    asm volatile("ld.volatile.global.u32 %0, [%1+%2];" : "=r"(value) : "l"(at_), "n"(kOffset));
    return value;
  }

  size_t at_;
};

} // namespace gpusched
