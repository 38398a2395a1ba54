// Launches that nobody limits: each logical block is run once, also when a batch is cut off by the
// end, and a launch leaves `next` where the runtime takes it to be, for the next one to count on.
// Who makes the last claim says so. With a worker for each claim there is no control block.
//
// RUN: %nvcc -arch=sm_90 -std=c++20 -I%root -I%root/rt/include %s -o %t
// RUN: %gpusched run --device=cpu -- %t | FileCheck %s
#include "rt/launch/Divisor.h"
#include "rt/launch/WorkerPlan.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <gpusched/LaunchAbi.h>
#include <gpusched/device/Persistent.cuh>
#include <thread>

template <class Worker>
__global__ void count(const gpusched_params params, unsigned* runs, bool mayEnd) {
  Worker worker(params, mayEnd);
  if (worker.starts(mayEnd))
    do {
      do {
        worker.begin(mayEnd);
        const uint3 block = worker.block();
        if (threadIdx.x == 33)
          atomicAdd(&runs[block.x + worker.grid().x * block.y], 1u);
        if (mayEnd && worker.isOnly())
          return;
      } while (worker.stays());
      worker.advance();
    } while (worker.more());
  worker.end(mayEnd);
}

/// Block 1 lasts until the host opens its gate.
__global__ void wait(const gpusched_params params, volatile unsigned* gate) {
  gpusched::Worker worker(params);
  if (worker.more())
    do {
      worker.begin();
      while (worker.block().x == 1 && *gate == 0) {
      }
      worker.advance();
    } while (worker.more());
  worker.end();
}

struct Launch {
  gpusched_role role;
  unsigned columns, rows, shift, workers;
  bool ahead = false, mayEnd = false, apart = false;
};

gpusched_params paramsOf(const Launch& launch) {
  gpusched_params params = {};
  params.total = launch.columns * launch.rows;
  params.grid_x = launch.columns, params.grid_y = launch.rows, params.grid_z = 1;
  params.by_x = gpusched::makeDivisor(launch.columns);
  params.by_y = gpusched::makeDivisor(launch.rows);
  params.role = launch.role;
  const gpusched::Batches batches =
      gpusched::planBatches(params.total, launch.workers, 1u << launch.shift);
  // Half of the grid in the largest batches, then a few of each size.
  params.batch_shift = batches.shift;
  params.batches = batches.claims / 2;
  params.step = 3;
  params.end = gpusched::claimsFor(params.total, {params.batch_shift, params.batches, params.step});
  return params;
}

int main() {
  constexpr unsigned kMost = 1000;
  gpusched_control* control;
  unsigned *runs, *ended;
  cudaMallocManaged(&control, sizeof *control);
  cudaMallocManaged(&runs, kMost * sizeof *runs);
  cudaMallocHost(&ended, sizeof *ended);
  std::memset(control, 0, sizeof *control);
  std::memset(control->sm_mask, 0xff, sizeof control->sm_mask);
  control->workers_per_sm = GPUSCHED_NO_BUDGET;
  unsigned finished = 0;
  const Launch launches[] = {{GPUSCHED_ALONE, 20, 3, 0, 7},
                             {GPUSCHED_ALONE, 67, 1, 1, 5},
                             {GPUSCHED_LEADS, 31, 3, 3, 6, true},
                             {GPUSCHED_ALONE, 100, 7, 3, 9, true},
                             {GPUSCHED_ALONE, 100, 7, 3, 9, false, true},
                             {GPUSCHED_ALONE, 9, 1, 3, 4},
                             {GPUSCHED_LEADS, 10, 10, 0, 3, false, true},
                             {GPUSCHED_LEADS, 50, 10, 2, 3},
                             {GPUSCHED_FITS, 13, 2, 0, 26},
                             {GPUSCHED_FITS, 13, 3, 0, 39, false, true},
                             {GPUSCHED_ALONE, 5, 5, 0, 25},
                             {GPUSCHED_ALONE, 100, 7, 3, 9, true, true, true},
                             {GPUSCHED_LEADS, 33, 3, 3, 6, true, true, true},
                             {GPUSCHED_ALONE, 21, 3, 0, 7, true, true, true},
                             {GPUSCHED_FITS, 17, 2, 0, 34, true, true, true}};
  for (const Launch& launch : launches) {
    gpusched_params params = paramsOf(launch);
    const unsigned claims = params.end;
    const bool fits = launch.role == GPUSCHED_FITS, alone = launch.role == GPUSCHED_ALONE;
    const unsigned next = unsigned(control->next);
    const unsigned given = alone && (launch.shift > 0 || launch.apart) ? launch.workers : 0;
    params.control = fits ? nullptr : control;
    params.base = fits ? 0 : next - given;
    params.end += params.base;
    params.finished_before = finished;
    params.ended = ended;
    *ended = 0;
    std::memset(runs, 0, kMost * sizeof *runs);
    const dim3 grid = fits ? dim3(launch.columns, launch.rows) : dim3(launch.workers);
    if (launch.apart)
      count<gpusched::AheadWorker::Apart><<<grid, 64>>>(params, runs, launch.mayEnd);
    else if (launch.shift == 0)
      count<gpusched::Worker><<<grid, 64>>>(params, runs, launch.mayEnd);
    else if (launch.ahead)
      count<gpusched::AheadWorker><<<grid, 64>>>(params, runs, launch.mayEnd);
    else
      count<gpusched::BatchWorker><<<grid, 64>>>(params, runs, launch.mayEnd);
    const cudaError_t error = cudaDeviceSynchronize();
    bool once = error == cudaSuccess;
    for (unsigned i = 0; i < kMost; ++i)
      once = once && runs[i] == (i < params.total);
    const unsigned moved = unsigned(control->next) - next;
    const bool right = fits || (moved == claims + (alone ? launch.workers : 0) - given &&
                                control->left == 0 && *ended == alone);
    finished += launch.role == GPUSCHED_LEADS ? params.total : 0;
    std::printf("%u of %u: once %d, right %d\n", params.total, 1u << launch.shift, once,
                right && control->finished == finished);
  }
  // One of two workers finds nothing more, the other one has yet to ask.
  gpusched_params params = paramsOf({GPUSCHED_ALONE, 2, 1, 0, 2});
  params.control = control;
  params.base = unsigned(control->next);
  params.end += params.base;
  params.ended = ended;
  *ended = runs[0] = 0;
  wait<<<2, 64>>>(params, runs);
  while (static_cast<volatile gpusched_control*>(control)->next != params.base + 3) {
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const unsigned before = *ended;
  *static_cast<volatile unsigned*>(runs) = 1;
  cudaDeviceSynchronize();
  std::printf("ended %u, then %u\n", before, *ended);
  // CHECK: 60 of 1: once 1, right 1
  // CHECK-NEXT: 67 of 2: once 1, right 1
  // CHECK-NEXT: 93 of 8: once 1, right 1
  // CHECK-NEXT: 700 of 8: once 1, right 1
  // CHECK-NEXT: 700 of 8: once 1, right 1
  // CHECK-NEXT: 9 of 8: once 1, right 1
  // CHECK-NEXT: 100 of 1: once 1, right 1
  // CHECK-NEXT: 500 of 4: once 1, right 1
  // CHECK-NEXT: 26 of 1: once 1, right 1
  // CHECK-NEXT: 39 of 1: once 1, right 1
  // CHECK-NEXT: 25 of 1: once 1, right 1
  // CHECK-NEXT: 700 of 8: once 1, right 1
  // CHECK-NEXT: 99 of 8: once 1, right 1
  // CHECK-NEXT: 63 of 1: once 1, right 1
  // CHECK-NEXT: 34 of 1: once 1, right 1
  // CHECK-NEXT: ended 0, then 1
}
