// Loops.cu - every loop that a twin made from PTX alone may need.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once, when gpusched is built; LoopTexts.h takes single loops out of the PTX. A kernel
// here only has its loop compiled, and says by its name which one it is:
//
//   gpusched_loop_<worker>_<memory>_<rest>_<barriers>
//     worker    w claims one by one, b in batches, a in batches and early
//     memory    where its words are: 0 beside the kernel's shared memory, else behind the dynamic
//               one, which is so aligned
//     rest      n nothing, a asynchronous copies, am and mbarriers, bm and bulk copies
//     barriers  p plain, and all loops that drain less; c asked questions, cl where lanes leave
#include "gpusched/device/SplicedLoop.cuh"

using namespace gpusched;

#define LOOP(NAME, ...)                                                                            \
  extern "C" __global__ void gpusched_loop_##NAME(const ::gpusched_params launch) {                \
    leastLoop<__VA_ARGS__>(launch);                                                                \
  }
#define BARRIERS(NAME, WORKER, ...)                                                                \
  LOOP(NAME##_p, WORKER, Drain::AnyLanes, __VA_ARGS__)                                             \
  LOOP(NAME##_c, WORKER, Drain::CountedBarriers, __VA_ARGS__)                                      \
  LOOP(NAME##_cl, WORKER, Drain::CountedAnyLanes, __VA_ARGS__)
#define RESTS(NAME, WORKER, NOTES, LANES)                                                          \
  BARRIERS(NAME##_n, WORKER, Copies::None, NoMbarriers, LANES)                                     \
  BARRIERS(NAME##_a, WORKER, Copies::Async, NoMbarriers, LANES)                                    \
  BARRIERS(NAME##_am, WORKER, Copies::Async, NOTES, LANES)                                         \
  BARRIERS(NAME##_bm, WORKER, Copies::Bulk, NOTES, LANES)
#define BEHIND(ALIGNMENT)                                                                          \
  RESTS(w_##ALIGNMENT, WorkerBehind<ALIGNMENT>, MbarriersBehind<ALIGNMENT>,                        \
        SharedBehind<ALIGNMENT>)                                                                   \
  RESTS(b_##ALIGNMENT, BatchWorkerBehind<ALIGNMENT>, MbarriersBehind<ALIGNMENT>,                   \
        SharedBehind<ALIGNMENT>)                                                                   \
  BARRIERS(a_##ALIGNMENT##_n, AheadWorkerBehind<ALIGNMENT>, Copies::None, NoMbarriers,             \
           SharedBehind<ALIGNMENT>)

RESTS(w_0, Worker, Mbarriers, SharedBeside)
RESTS(b_0, BatchWorker, Mbarriers, SharedBeside)
BARRIERS(a_0_n, AheadWorker, Copies::None, NoMbarriers, SharedBeside)
BEHIND(16)
BEHIND(1024)
