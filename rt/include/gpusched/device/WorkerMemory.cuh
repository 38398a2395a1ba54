// WorkerMemory.cuh - where a twin keeps its own words in shared memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   SharedBeside      a static variable beside the kernel's; the dynamic memory begins behind it
//   SharedBehind<A>   the end of the dynamic memory, of which the launch asks for that much more
//
// Behind it nothing of the kernel moves: dynamic memory whose address the kernel takes for more
// aligned than it declares (tiles that are swizzled over 1024 bytes) stays where it was, and static
// memory may take all of its 48 KiB. But its address is computed wherever it is reached, for up to
// five registers in small kernels; hence beside, unless one of the two is in question.
//
// Dynamic arrays begin at the end of the static ones, each at a multiple of its own alignment, and
// ptxas counts the static ones up to the largest. A is at least that of all of the kernel's, so the
// array here begins at or behind theirs. Its end is theirs and 16 bytes at most, then ours.
#pragma once

#include "../LaunchAbi.h"

namespace gpusched {

struct SharedBeside {
  template <class Words> static __device__ __forceinline__ Words& of() {
    static __shared__ Words words;
    return words;
  }
};

/// The kernel's dynamic memory, as an array of that alignment.
template <unsigned kAlignment> struct DynamicShared;

#define GPUSCHED_DYNAMIC_SHARED(ALIGNMENT)                                                         \
  extern __shared__ __align__(ALIGNMENT)                                                           \
  unsigned char dynamic_shared_##ALIGNMENT[];                                                      \
  template <> struct DynamicShared<ALIGNMENT> {                                                    \
    static __device__ __forceinline__ unsigned char* begin() {                                     \
      return dynamic_shared_##ALIGNMENT;                                                           \
    }                                                                                              \
  };
GPUSCHED_DYNAMIC_SHARED(16)
GPUSCHED_DYNAMIC_SHARED(32)
GPUSCHED_DYNAMIC_SHARED(64)
GPUSCHED_DYNAMIC_SHARED(128)
GPUSCHED_DYNAMIC_SHARED(256)
GPUSCHED_DYNAMIC_SHARED(512)
GPUSCHED_DYNAMIC_SHARED(1024)
#undef GPUSCHED_DYNAMIC_SHARED

/// `Words::kFromEnd`: where they begin, in bytes before the end; see GPUSCHED_KERNEL_SHARED_SHIFT.
template <unsigned kAlignment> struct SharedBehind {
  template <class Words> static __device__ __forceinline__ Words& of() {
    unsigned bytes; // of the launch: a word of constant memory
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return *reinterpret_cast<Words*>(DynamicShared<kAlignment>::begin() +
                                     (bytes - Words::kFromEnd));
  }
};

} // namespace gpusched
