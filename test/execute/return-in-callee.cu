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

__device__ int place(const int* order) { return order[threadIdx.x]; }
__device__ void countInOrder(int* counts, const int* order, int live) {
  const int mine = place(order);
  if (mine >= live)
    return;
  __shared__ int block;
  if (mine == 0)
    block = blockIdx.x;
  __syncthreads();
  if (mine == live - 1)
    atomicAdd(&counts[blockIdx.x], 1 + 10 * (block == blockIdx.x));
  __syncthreads();
  block = -1;
  __syncthreads();
}
__global__ void inOrder(int* counts, const int* order, int live) {
  countInOrder(counts, order, live);
}

int main() {
  constexpr int kBlocks = 64;
  int* counts = deviceArray<int>(kBlocks);
  kernel<<<kBlocks, 256>>>(counts, 100);
  expect<int>("counts", counts, kBlocks, [](std::size_t) { return 11; });

  int reversed[256];
  for (int i = 0; i < 256; ++i)
    reversed[i] = 255 - i;
  int *order = deviceArray<int>(256), *again = deviceArray<int>(kBlocks);
  cudaMemcpy(order, reversed, sizeof reversed, cudaMemcpyDefault);
  inOrder<<<kBlocks, 256>>>(again, order, 100);
  expect<int>("counts in order", again, kBlocks, [](std::size_t) { return 11; });
}
