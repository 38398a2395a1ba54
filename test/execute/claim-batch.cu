// Workers that claim eight logical blocks at once run each block once, though the grid is no multiple
// of eight and its rows are short, also when they are paused or more workers than batches come.
// A kernel with a loop that counts does so, too; one with a loop that may wait claims one by one.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
// RUN: %gpusched-cc -arch=sm_90 %s -o %t/batches
// RUN: env GPUSCHED_CLAIM_BATCH=9 GPUSCHED_PAUSE_EVERY=300 %gpusched run --device=cpu \
// RUN:   --variant=persistent --blocks-per-sm=1 --sms=0-1 --trace=%t/few.json -- %t/batches | FileCheck %s
// RUN: env GPUSCHED_CLAIM_BATCH=8 %gpusched run --device=cpu --variant=persistent --blocks-per-sm=1 \
// RUN:   --trace=%t/all.json -- %t/batches | FileCheck %s
// RUN: FileCheck --check-prefix=TRACE --input-file=%t/few.json %s
// RUN: FileCheck --check-prefix=TRACE --input-file=%t/all.json %s
// TRACE: "kernel": "mark"
// TRACE: "claimBatch": 8
// TRACE: "kernel": "loop"
// TRACE: "claimBatch": 8
// TRACE: "kernel": "lock"
// TRACE: "claimBatch": 1
#include "Inputs/Expect.h"

__global__ void mark(int* out) {
  __shared__ unsigned corner;
  if (threadIdx.x == 0)
    corner = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  __syncthreads();
  atomicAdd(&out[corner], corner + threadIdx.x);
}

__global__ void loop(int* out) {
  for (int i = 0; i < 3; ++i)
    out[blockIdx.x] += i * blockIdx.x;
}

/// One block at a time.
__global__ void lock(int* taken) {
  while (atomicCAS(taken, 0, 1) != 0) {
  }
  volatile int* const count = taken + 1;
  *count = *count + 1;
  __threadfence();
  atomicExch(taken, 0);
}

int main() {
  const dim3 grid(3, 5, 47);
  int* out = deviceArray<int>(705);
  mark<<<grid, 64>>>(out);
  // CHECK: mark: 705 values{{.*}} ok
  expect<int>("mark", out, 705, [](std::size_t i) { return static_cast<int>(64 * i + 2016); });
  int* other = deviceArray<int>(300);
  loop<<<300, 1>>>(other);
  // CHECK: loop: 300 values{{.*}} ok
  expect<int>("loop", other, 300, [](std::size_t i) { return static_cast<int>(3 * i); });
  int* taken = deviceArray<int>(2);
  lock<<<300, 1>>>(taken);
  // CHECK: lock: 2 values{{.*}} ok
  expect<int>("lock", taken, 2, [](std::size_t i) { return i == 1 ? 300 : 0; });
}
