// Threads leave before barriers in functions that are not put in line; one of them reads the block index.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_90" --outlined=some
#include "Inputs/Expect.h"

#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>

__noinline__ __device__ int shifted(const int* values, int by) {
  __syncthreads();
  const int value = values[(threadIdx.x + by) % 8];
  cooperative_groups::this_thread_block().sync();
  return value + 100 * blockIdx.x;
}

__noinline__ __device__ void meet(int* values, int value) {
  values[threadIdx.x] = value;
  __syncthreads();
}

__global__ void leave(int* out, int inside) {
  __shared__ int values[8];
  if (threadIdx.x >= inside)
    return;
  for (int round = 0; round < 3; ++round) {
    meet(values, threadIdx.x * round);
    out[blockIdx.x * blockDim.x + threadIdx.x] += shifted(values, round);
  }
}

__global__ void stay(int* out) {
  __shared__ int values[8];
  values[threadIdx.x] = threadIdx.x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = shifted(values, 1);
}

int main() {
  int* out = deviceArray<int>(45 * 96);
  leave<<<45, 96>>>(out, 8);
  expect<int>("leave", out, 45 * 96, [](std::size_t index) {
    const int thread = index % 96, block = index / 96;
    return thread < 8 ? 300 * block + (thread + 1) % 8 + 2 * ((thread + 2) % 8) : 0;
  });
  stay<<<45, 8>>>(out);
  expect<int>("stay", out, 45 * 8, [](std::size_t index) {
    return static_cast<int>(100 * (index / 8) + (index + 1) % 8);
  });
}
