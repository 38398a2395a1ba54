// SplicedLoop.cuh - the loop that gpusched-cicc gives to twins of one shape.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   twin in the source        ::gpusched::splicedLoop<::gpusched::Worker,
//                                                     ::gpusched::Drain::Nothing>(gpusched_launch);
//   from cicc                 the function, once, and twins that call it
//   from gpusched-cicc        no function; in each twin its PTX, with the kernel's PTX for the word
//
// So cicc compiles one loop for a file with hundreds of kernels, and a twin costs it a call.
// ptxas knows neither the word nor, without the function, what the twin calls: a twin whose body
// did not come does not assemble.
#pragma once

#include "LaneDrain.cuh"
#include "Mbarriers.cuh"
#include "Persistent.cuh"

namespace gpusched {

/// Which waits of the body know that threads have left it. Counted: its barriers are asked
/// questions, see CountingDrain.cuh.
enum class Drain {
  Apart, ///< none, and its warps share nothing: no barriers, no shared memory
  Nothing,
  Barriers, ///< block barriers, see Worker::drain
  Lanes,    ///< and primitives of whole warps, see LaneDrain.cuh
  AnyLanes, ///< and all others
  CountedBarriers,
  CountedLanes,
  CountedAnyLanes
};

/// What a body may leave on its way into shared memory, see settleCopies.
enum class Copies { None, Async, Bulk };

/// The worker for such a body.
template <class Worker, Drain kDrain> struct WorkerFor {
  typedef Worker Type;
};
template <class Worker> struct WorkerFor<Worker, Drain::Apart> {
  typedef typename Worker::Apart Type;
};

/// In place of Mbarriers, for bodies that begin none.
struct NoMbarriers {
  static const bool kNotes = false;
  __device__ __forceinline__ void retire() const {}
};

// Of what follows gpusched-cicc writes calls into bodies; tools/gpusched-ptxas/OurFunctions.h
// has the symbols.

/// In front of a primitive with this mask. Returns the mask's lanes that are inside.
template <bool kAnyMask, class Memory> __device__ __noinline__ unsigned splicedMeet(unsigned mask) {
  if (mask == 0xffffffffu)
    return BasicLaneDrain<Memory>::meet();
  return kAnyMask ? BasicLaneDrain<Memory>::meet(mask) : mask;
}

/// In front of a block barrier, where lanes may have left their warps.
template <class Memory> __device__ __noinline__ void splicedMeetForBarrier() {
  BasicLaneDrain<Memory>::meetForBarrier();
}

/// Where the body is left, in front of the barriers of those who are out.
template <class Memory, bool kCounts> __device__ __noinline__ void splicedLeave() {
  BasicLaneDrain<Memory>::template leaveBy<kCounts>();
}

/// In place of a block barrier, as CountingDrain::inside.
inline __device__ __noinline__ unsigned splicedCount(unsigned said) {
  const unsigned yes = CountingDrain::countApart(said);
  if (yes == 0)
    CountingDrain::countApart(1);
  return yes;
}

/// In front of mbarrier.init and mbarrier.inval.
template <class Memory> __device__ __noinline__ void splicedMbarrierAdded(unsigned address) {
  Memory::template of<MbarrierTable>().add(address);
}
template <class Memory> __device__ __noinline__ void splicedMbarrierEnded(unsigned address) {
  Memory::template of<MbarrierTable>().end(address);
}

template <Drain kDrain> struct DrainKind {
  static const bool tells = kDrain > Drain::Nothing, counts = kDrain >= Drain::CountedBarriers;
  static const int plain = int(kDrain) - (counts ? 3 : 0);
  static const bool lanes = plain >= int(Drain::Lanes), anyMask = plain == int(Drain::AnyLanes);
};

/// Has functions compiled, though nothing here calls them.
template <class Function> __device__ __forceinline__ void keep(Function* function) {
  asm volatile("// %0" ::"l"(function));
}

template <bool kTells, bool kAnyMask, bool kCounts, class Memory> struct SplicedLanes {
  __device__ __forceinline__ void keepFunctions() const {}
};
template <bool kAnyMask, bool kCounts, class Memory>
struct SplicedLanes<true, kAnyMask, kCounts, Memory> {
  const BasicLaneDrain<Memory> lanes{kAnyMask};
  __device__ __forceinline__ void keepFunctions() const {
    keep(&splicedMeet<kAnyMask, Memory>);
    keep(&splicedMeetForBarrier<Memory>);
    keep(&splicedLeave<Memory, kCounts>);
  }
};

__device__ __forceinline__ void keepNotes(const NoMbarriers&) {}
template <class Memory> __device__ __forceinline__ void keepNotes(const BasicMbarriers<Memory>&) {
  keep(&splicedMbarrierAdded<Memory>);
  keep(&splicedMbarrierEnded<Memory>);
}

/// The kernel's %ctaid and %nctaid become the six names. Where threads leave early, gpusched-cicc
/// puts what they wait for in front of each end of the body. `LaneMemory`: of the words about
/// lanes.
template <class Worker, Drain kDrain, Copies kCopies = Copies::None, class Notes = NoMbarriers,
          class LaneMemory = SharedBeside>
__device__ __noinline__ void splicedLoop(const gpusched_params launch) {
  typedef DrainKind<kDrain> Kind;
  static const bool kMayEnd = !Kind::tells && !Notes::kNotes;
  const SplicedLanes<Kind::lanes, Kind::anyMask, Kind::counts, LaneMemory> lanes;
  const Notes mbarriers;
  typename WorkerFor<Worker, kDrain>::Type worker(launch, kMayEnd);
  keepNotes(mbarriers);
  if (Kind::counts) {
    keep(&splicedCount);
    keep(&CountingDrain::countApart);
  } else if (Kind::tells) {
    keep(&BlockDrain::meet);
  }
  if (worker.starts(kMayEnd))
    do {
      do {
        worker.begin(kMayEnd);
        const uint3 block = worker.block();
        const dim3 grid = worker.grid();
        asm volatile(GPUSCHED_LOGICAL_REGISTERS "gpusched_body %6;\n\t}" ::"r"(block.x),
                     "r"(block.y), "r"(block.z), "r"(grid.x), "r"(grid.y), "r"(grid.z),
                     "n"(int(kDrain))
                     : "memory");
        if (kCopies != Copies::None)
          settleCopies<kCopies == Copies::Bulk>();
        lanes.keepFunctions();
        if (kMayEnd && worker.isOnly())
          goto ended;
      } while (worker.stays());
      worker.advance();
      mbarriers.retire();
    } while (worker.more());
ended:
  worker.end(kMayEnd);
}

/// Loops for bodies with less that waits.
template <class Worker, Drain kDrain, Copies kCopies, class Notes, class LaneMemory,
          bool kIsLeast = kDrain == (Worker::kMayBeApart ? Drain::Apart : Drain::Nothing)>
struct SimplerLoops {
  static __device__ __forceinline__ void keep() {
    static const Drain simpler = Drain(int(kDrain) - (DrainKind<kDrain>::counts ? 3 : 1));
    ::gpusched::keep(&splicedLoop<Worker, simpler, kCopies, Notes, LaneMemory>);
    SimplerLoops<Worker, simpler, kCopies, Notes, LaneMemory>::keep();
  }
};
template <class Worker, Drain kDrain, Copies kCopies, class Notes, class LaneMemory>
struct SimplerLoops<Worker, kDrain, kCopies, Notes, LaneMemory, true> {
  static __device__ __forceinline__ void keep() {}
};

/// For a kernel whose PTX may have less that waits than its source: gpusched-cicc takes the least
/// of these loops that will do.
template <class Worker, Drain kDrain, Copies kCopies = Copies::None, class Notes = NoMbarriers,
          class LaneMemory = SharedBeside>
__device__ __forceinline__ void leastLoop(const gpusched_params launch) {
  SimplerLoops<Worker, kDrain, kCopies, Notes, LaneMemory>::keep();
  splicedLoop<Worker, kDrain, kCopies, Notes, LaneMemory>(launch);
}

} // namespace gpusched
