// Two pairs of warps hand values to each other at barriers of their own, after the other warps have
// left; another kernel's warps leave behind a barrier of the block, and wait in rounds.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

constexpr int kThreads = 192, kBlocks = 50;

__device__ void meetFirst() { asm volatile("bar.sync 1, 64;" ::: "memory"); }
__device__ void meetSecond() { asm volatile("bar.sync %0, %1;" ::"n"(2), "r"(64) : "memory"); }

__global__ void pairs(int* out) {
  __shared__ int values[kThreads];
  const int warp = threadIdx.x / 32, base = warp / 2 * 64;
  if (warp >= 4)
    return;
  values[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
  if (warp < 2)
    meetFirst();
  else
    meetSecond();
  out[blockIdx.x * kThreads + threadIdx.x] = values[base + 63 - (threadIdx.x - base)];
}

__global__ void rounds(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  if (threadIdx.x / 32 >= 2)
    return;
  for (int round = 0; round < 3; ++round) {
    atomicAdd(&sum, 1);
    meetFirst();
    if (threadIdx.x == 40)
      out[blockIdx.x] = out[blockIdx.x] * 1000 + sum;
    meetFirst();
  }
}

int main() {
  int* out = deviceArray<int>(kBlocks * kThreads);
  pairs<<<kBlocks, kThreads>>>(out);
  expect<int>("pairs", out, kBlocks * kThreads, [](std::size_t index) {
    const int block = index / kThreads, thread = index % kThreads, base = thread / 64 * 64;
    return thread < 128 ? block * 1000 + base + 63 - (thread - base) : 0;
  });
  int* sums = deviceArray<int>(kBlocks);
  rounds<<<kBlocks, kThreads>>>(sums);
  expect<int>("rounds", sums, kBlocks, [](std::size_t) { return 64128192; });
}
