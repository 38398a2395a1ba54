// Telemetry.cuh - what a worker writes down about itself when it leaves.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   worker gets its slot    remembers %globaltimer and %clock64, in its shared memory
//   worker leaves           launch sampled (control->telemetry): one record, behind one atomic
//
// Only with GPUSCHED_TELEMETRY (gpusched-cc --gpusched-telemetry); without it nothing of this is in
// the program. The loop over blocks is the same in both forms. Records stand in the order in which
// workers leave; whoever finds the buffer full is counted and writes nothing. By thread 0 of a
// worker.
#pragma once

#include "../LaunchAbi.h"

namespace gpusched {

struct WorkerMoment {
  gpusched_u64 nanoseconds, cycles;

  static __device__ __forceinline__ WorkerMoment now() {
    WorkerMoment moment;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(moment.nanoseconds)::"memory");
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(moment.cycles)::"memory");
    return moment;
  }
};

static __device__ __forceinline__ void writeWorkerRecord(gpusched_telemetry* buffer,
                                                         const WorkerMoment& began, unsigned sm,
                                                         unsigned blocks, bool lostClaim) {
  if (!buffer || blocks == 0)
    return;
  const WorkerMoment now = WorkerMoment::now();
  const unsigned place = ::atomicAdd(&buffer->written, 1u);
  if (place >= buffer->capacity)
    return;
  gpusched_worker_record* const record =
      reinterpret_cast<gpusched_worker_record*>(buffer + 1) + place;
  record->begin_ns = began.nanoseconds;
  record->end_ns = now.nanoseconds;
  record->cycles = now.cycles - began.cycles;
  record->sm = sm;
  record->blocks = blocks;
  record->lost_claims = lostClaim;
}

} // namespace gpusched
