// SplicedLoop.cuh - the loop that gpusched-cicc gives to twins of one shape.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   twin in the source        ::gpusched::splicedLoop<::gpusched::Worker, false>(gpusched_launch);
//   from cicc                 the function, once, and twins that call it
//   from gpusched-cicc        no function; in each twin its PTX, with the kernel's PTX for the word
//
// So cicc compiles one loop for a file with hundreds of kernels, and a twin costs it a call.
// ptxas knows neither the word nor, without the function, what the twin calls: a twin whose body
// did not come does not assemble.
#pragma once

#include "Mbarriers.cuh"
#include "Persistent.cuh"

namespace gpusched {

/// What a body may leave on its way into shared memory, see settleCopies.
enum class Copies { None, Async, Bulk };

/// The kernel's %ctaid and %nctaid become the six names. `kDrains`: threads arrive at the body's
/// block barriers that have left it, see Worker::drain.
template <class Worker, bool kDrains, Copies kCopies = Copies::None>
__device__ __noinline__ void splicedLoop(const gpusched_params launch) {
  Worker worker(launch);
  if (worker.more())
    do {
      worker.begin();
      const uint3 block = worker.block();
      const dim3 grid = worker.grid();
      asm volatile("{ .reg .b32 gpusched_ctaid_x, gpusched_ctaid_y, gpusched_ctaid_z;\n\t"
                   ".reg .b32 gpusched_nctaid_x, gpusched_nctaid_y, gpusched_nctaid_z;\n\t"
                   "mov.b32 gpusched_ctaid_x, %0; mov.b32 gpusched_ctaid_y, %1;\n\t"
                   "mov.b32 gpusched_ctaid_z, %2; mov.b32 gpusched_nctaid_x, %3;\n\t"
                   "mov.b32 gpusched_nctaid_y, %4; mov.b32 gpusched_nctaid_z, %5;\n\t"
                   "gpusched_body %6;\n\t}" ::"r"(block.x),
                   "r"(block.y), "r"(block.z), "r"(grid.x), "r"(grid.y), "r"(grid.z),
                   "n"(int(kDrains))
                   : "memory");
      if (kCopies != Copies::None)
        settleCopies<kCopies == Copies::Bulk>();
      if (kDrains)
        worker.drain();
      else
        worker.advance();
    } while (worker.more());
  worker.end();
}

} // namespace gpusched
