// A helper that reads blockIdx, and a barrier behind an early return, where only nvcc's host compiler
// sees them.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=some
#include "Inputs/Expect.h"

constexpr int kThreads = 128, kBlocks = 40;

#ifdef __clang__
__device__ int block() { return 0; }
__device__ void meet() {}
#else
__device__ int block() { return blockIdx.x; }
__device__ void meet() { __syncthreads(); }
#endif

__global__ void place(int* out) { out[block() * kThreads + threadIdx.x] = block(); }

__global__ void leaveEarly(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  if (threadIdx.x >= 96)
    return;
  atomicAdd(&sum, 1);
  meet();
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

int main() {
  int* places = deviceArray<int>(kBlocks * kThreads);
  place<<<kBlocks, kThreads>>>(places);
  expect<int>("places", places, kBlocks * kThreads,
              [](std::size_t index) { return static_cast<int>(index / kThreads); });
  int* sums = deviceArray<int>(kBlocks);
  leaveEarly<<<kBlocks, kThreads>>>(sums);
  expect<int>("sums", sums, kBlocks, [](std::size_t) { return 96; });
}
