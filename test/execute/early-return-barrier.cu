// Threads leave before barriers that the rest of the block still meets: they must not be counted
// as arrived at a barrier of the next logical block.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=native
#include "Inputs/Expect.h"

__global__ void sumOfFirst(int* out, int live) {
  __shared__ int values[128];
  values[threadIdx.x] = blockIdx.x + threadIdx.x;
  if (threadIdx.x >= live)
    return;
  __syncthreads();
  for (int distance = 1; distance < live; distance *= 2) {
    int other = threadIdx.x + distance < live ? values[threadIdx.x + distance] : 0;
    __syncthreads();
    if (threadIdx.x % (2 * distance) == 0)
      values[threadIdx.x] += other;
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = values[0];
}

int main() {
  constexpr int blocks = 150;
  for (int live : {1, 20, 64, 100, 128}) {
    int* out = deviceArray<int>(blocks);
    sumOfFirst<<<blocks, 128>>>(out, live);
    expect<int>("sum", out, blocks, [&](std::size_t block) {
      return live * static_cast<int>(block) + live * (live - 1) / 2;
    });
  }
}
