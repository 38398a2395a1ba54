// Threads leave a function that the kernel calls before its barriers.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=native
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

// Each thread has its own number of rounds, which it reads through a call.
__device__ int rounds(const int* order) { return order[threadIdx.x]; }
__device__ void countRounds(int* counts, const int* order, int most) {
  __shared__ int block;
  const int mine = rounds(order);
  for (int round = 0; round < mine; ++round) {
    if (mine == most)
      block = blockIdx.x + round;
    __syncthreads();
    if (mine == most)
      atomicAdd(&counts[blockIdx.x], block == blockIdx.x + round);
    __syncthreads();
    block = -1;
    __syncthreads();
  }
}
__global__ void inRounds(int* counts, const int* order, int most) {
  countRounds(counts, order, most);
}

// Lanes leave a function before its primitive.
__device__ int share(int mine, int live) {
  if (mine >= live)
    return -1;
  return __shfl_sync(0xffffffffu, mine, 0);
}
__global__ void shared(int* values, int live) {
  const int value = share(threadIdx.x, live);
  values[blockIdx.x * blockDim.x + threadIdx.x] = value;
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

  int* inTurn = deviceArray<int>(kBlocks);
  inRounds<<<kBlocks, 256>>>(inTurn, order, 255);
  expect<int>("rounds", inTurn, kBlocks, [](std::size_t) { return 255; });

  int* values = deviceArray<int>(kBlocks * 32);
  shared<<<kBlocks, 32>>>(values, 20);
  expect<int>("shared values", values, kBlocks * 32,
              [](std::size_t index) { return index % 32 < 20 ? 0 : -1; });
}
