// LaneDrain.cuh - warp primitives, where lanes may have left the body.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   const ::gpusched::LaneDrain lanes{false};
//   in the worker's loop:  body(..., BodyBarrier{true, true}, LanePrimitive__shfl_sync{true}, ...);
//                          lanes.leave(), worker.drain();
//
// In a kernel, a lane that has left no longer counts for __shfl_sync(0xffffffff, ...): all lanes
// that are left execute it. In the loop the lane is still there, so the mask must not name it. Two
// words of each warp say who is inside, and what those who are do next. Whatever needs the whole
// warp, a primitive, a block barrier, leaving, is an appointment of all 32 lanes:
//
//   inside:   say what comes | __syncwarp |              | __syncwarp | read who is inside, do it
//   outside:                 | __syncwarp | read both    | __syncwarp | with the block barrier, if
//                                                                       it is one; again
//
// __syncwarp is the one primitive that lanes may execute at different places of a text; nvcc's
// copies of one place, in a loop that lanes leave one by one, are joined by PTX. Nobody can leave
// between the second one and the primitive, since leaving is an appointment too.
//
// A mask that is not the whole warp stays as it is where it cannot name lanes that have left. Where
// it may (LaneDrain lanes{true}, LanePrimitive__shfl_sync{true, true}), the others of the warp may
// be anywhere, so that there is no appointment: a lane writes down the mask that it waits with,
// until each lane of the mask that is inside has written the same. Those stay until the primitive,
// so all of them strike the same lanes from the mask. They wait in a loop, which lanes of a warp
// may do for one another since Volta. Does not: order anything that the primitives do not.
#pragma once

#include "BlockDrain.cuh"
#include "CountingDrain.cuh"
#include "WorkerMemory.cuh"

namespace gpusched {

/// The words of all warps of a block; 256 bytes keep the alignment of what follows.
struct __align__(128) LaneState {
  static const unsigned kFromEnd = 640; ///< behind it: MbarrierTable, WorkerShared
  unsigned inside[32];                  ///< lanes that are in the body
  unsigned barriers[32];                ///< is the next appointment a block barrier?
};

/// The masks that lanes wait with; 0 for one that does not.
struct __align__(128) LaneWaits {
  /// Behind it: LaneState.
  static const unsigned kFromEnd = GPUSCHED_LANE_UNITS * GPUSCHED_SHARED_UNIT;
  unsigned masks[32][32];
};

template <class Memory> class BasicLaneDrain {
public:
  /// Before the barrier that starts the first body. `anyMask`: meet(mask) will be called.
  __device__ __forceinline__ explicit BasicLaneDrain(bool anyMask) {
    inside() = all();
    if (anyMask)
      waits(laneIndex()) = 0;
  }

  /// All lanes that are inside call it: a primitive of the whole warp comes. Returns who they are.
  static __device__ __forceinline__ unsigned meet() {
    barriers() = 0;
    ::__syncwarp();
    ::__syncwarp();
    return inside();
  }

  /// The lanes of the mask that are inside call it: a primitive with that mask comes. Returns who
  /// they are.
  static __device__ __forceinline__ unsigned meet(unsigned mask) {
    volatile unsigned& own = waits(laneIndex());
    own = mask;
    ::__threadfence_block();
    unsigned here, coming;
    do {
      here = mask & inside();
      coming = here;
      for (unsigned left = here; left != 0; left &= left - 1)
        if (waits(::__ffs(left) - 1) == mask)
          coming &= ~(left & (0u - left));
    } while (coming != 0);
    ::__syncwarp(here); // all have seen it
    own = 0;
    ::__syncwarp(here); // nobody takes it for the next one
    return here;
  }

  /// All lanes that are inside call it: a block barrier comes.
  static __device__ __forceinline__ void meetForBarrier() {
    barriers() = 1;
    ::__syncwarp();
    ::__syncwarp();
  }

  /// After the body. Returns when nobody of the warp is inside any more.
  __device__ __forceinline__ void leave() const { leaveBy<false>(); }

  /// The same in a kernel that asks its barriers questions.
  __device__ __forceinline__ void leaveCounting() const { leaveBy<true>(); }

  template <bool kCounts> static __device__ __forceinline__ void leaveBy() {
    ::atomicAnd(&state().inside[warp()], ~(1u << laneIndex()));
    for (bool someInside = true; someInside;) {
      ::__syncwarp();
      someInside = inside() != 0;
      const bool barrier = barriers() != 0;
      ::__syncwarp();
      if (someInside && barrier) {
        if (kCounts)
          CountingDrain::outside();
        else
          BlockDrain::meet(0);
      }
    }
    inside() = all(); // of the next body, which starts behind a block barrier
  }

private:
  static __device__ __forceinline__ LaneState& state() { return Memory::template of<LaneState>(); }
  static __device__ __forceinline__ volatile unsigned& waits(unsigned lane) {
    return Memory::template of<LaneWaits>().masks[warp()][lane];
  }
  static __device__ __forceinline__ unsigned laneIndex() {
    unsigned lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
  }
  static __device__ __forceinline__ unsigned warp() {
    return (::threadIdx.x + ::blockDim.x * (::threadIdx.y + ::blockDim.y * ::threadIdx.z)) / 32;
  }
  /// The lanes of this warp that exist.
  static __device__ __forceinline__ unsigned all() {
    const unsigned threads = ::blockDim.x * ::blockDim.y * ::blockDim.z - 32 * warp();
    return threads < 32 ? (1u << threads) - 1 : 0xffffffffu;
  }
  static __device__ __forceinline__ volatile unsigned& inside() { return state().inside[warp()]; }
  static __device__ __forceinline__ volatile unsigned& barriers() {
    return state().barriers[warp()];
  }
};

typedef BasicLaneDrain<SharedBeside> LaneDrain;

/// What a primitive means inside an outlined body: a parameter or member of its name. The call
/// finds overloads for types of later headers (half) through their arguments.
#define GPUSCHED_WARP_PRIMITIVE(NAME)                                                              \
  struct LanePrimitive##NAME {                                                                     \
    bool drains, anyMask;                                                                          \
    template <class... Arguments>                                                                  \
    __device__ __forceinline__ auto operator()(unsigned mask = 0xffffffffu,                        \
                                               Arguments... arguments) const                       \
        -> decltype(NAME(mask, arguments...)) {                                                    \
      if (drains && mask == 0xffffffffu)                                                           \
        mask = LaneDrain::meet();                                                                  \
      else if (anyMask)                                                                            \
        mask = LaneDrain::meet(mask);                                                              \
      return NAME(mask, arguments...);                                                             \
    }                                                                                              \
  };
#include "WarpPrimitives.def"

} // namespace gpusched
