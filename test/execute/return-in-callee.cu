// Threads leave a function that the kernel calls before its barriers.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__device__ void count(int* counts, int live) {
  __shared__ int block;
  if (threadIdx.x == live)
    atomicAdd(&counts[blockIdx.x], 1);
  if (threadIdx.x >= live)
    return;
  if (threadIdx.x == 0)
    block = blockIdx.x;
  __syncthreads();
  if (threadIdx.x == live - 1)
    atomicAdd(&counts[blockIdx.x], 10 * (block == blockIdx.x));
  __syncthreads();
  block = -1;
  __syncthreads();
}
__global__ void kernel(int* counts, int live) { count(counts, live); }

int main() {
  constexpr int kBlocks = 64;
  int* counts = deviceArray<int>(kBlocks);
  kernel<<<kBlocks, 256>>>(counts, 100);
  expect<int>("counts", counts, kBlocks, [](std::size_t) { return 11; });
}
