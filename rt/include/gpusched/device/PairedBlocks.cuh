// PairedBlocks.cuh - a kernel whose blocks are those of two launches, mixed evenly.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   blocks of a   0 1 2 3 4 5        block of the pair   0 1 2 3 4 5 6 7 8
//   blocks of b   0 1 2              runs                b a a b a a b a a
//
// Both kernels need blocks of one shape, so a block of the pair is a block of either as the
// hardware would make it, but for its index and the grid: every thread is one of the kernel's,
// barriers, early returns and shared memory mean what they mean there. The two progress at one
// rate, in parts of their grids, whatever their blocks cost, so they end together.
//
//   from cicc             two words that ptxas does not know, in a branch of this kernel each
//   from gpusched-cicc    the PTX of the kernels in their place (tools/gpusched-cicc/Pairs.h)
//
// Its first template argument is a class of one file, so no two files have the same. It is no
// kernel: in what nvcc writes for the host compiler a kernel has another name and another type.
#pragma once

#include "LogicalBlock.cuh"

namespace gpusched {

/// Which block of which launch a block of the pair is.
class PairedBlock {
public:
  explicit __device__ __forceinline__ PairedBlock(const gpusched_pair& pair) : pair_(pair) {
    const unsigned before = ::__umulhi(::blockIdx.x, pair.share);
    isFirst_ = ::__umulhi(::blockIdx.x + 1, pair.share) != before;
    id_ = isFirst_ ? before : ::blockIdx.x - before;
  }

  __device__ __forceinline__ bool isFirst() const { return isFirst_; }

  /// Its index there. `kSide`: 0 for the first.
  template <int kSide> __device__ __forceinline__ uint3 index() const {
    return blockIndex(id_, pair_.sides[kSide]);
  }

private:
  const gpusched_pair& pair_;
  bool isFirst_;
  unsigned id_;
};

/// The place of one kernel's PTX, and what %ctaid and %nctaid become there.
template <int kSide>
__device__ __forceinline__ void pairedBody(const gpusched_pair& pair, const PairedBlock& block) {
  const uint3 index = block.index<kSide>();
  const gpusched_pair_side& side = pair.sides[kSide];
  asm volatile(GPUSCHED_LOGICAL_REGISTERS "gpusched_paired_body %6;\n\t}" ::"r"(index.x),
               "r"(index.y), "r"(index.z), "r"(side.grid_x), "r"(side.grid_y), "r"(side.grid_z),
               "n"(kSide)
               : "memory");
}

/// `Pair`: a class with static functions first() and second(), the kernels. `Parameters`: those of
/// both, in order.
template <class Pair, class... Parameters>
__global__ void pairedKernels(const gpusched_pair pair, Parameters... parameters) {
  // So that gpusched-cicc knows their symbols.
  asm volatile("// gpusched_pair_of %0 %1" ::"l"(Pair::first()), "l"(Pair::second()));
  const PairedBlock block(pair);
  if (block.isFirst())
    pairedBody<0>(pair, block);
  else
    pairedBody<1>(pair, block);
}

} // namespace gpusched
