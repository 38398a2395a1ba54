// Threads leave before a block of cooperative groups synchronises, in the kernel and in functions.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=native
#include "Inputs/Expect.h"

#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <class T> __device__ T sumOf(cg::thread_block block, T* values, int live) {
  for (int distance = 1; distance < live; distance *= 2) {
    T other = block.thread_rank() + distance < live ? values[block.thread_rank() + distance] : 0;
    cg::sync(block);
    if (block.thread_rank() % (2 * distance) == 0)
      values[block.thread_rank()] += other;
    cg::sync(block);
  }
  return values[0];
}

__global__ void sumOfFirst(int* out, int live) {
  __shared__ int values[128];
  cg::thread_block block = cg::this_thread_block();
  values[block.thread_rank()] = blockIdx.x + threadIdx.x;
  if (threadIdx.x >= live)
    return;
  block.sync();
  const int sum = sumOf(block, values, live);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

/// Lanes of one warp synchronise at two places.
__global__ void twoPlaces(int* out, int live) {
  __shared__ int values[128];
  if (threadIdx.x >= live)
    return;
  if (threadIdx.x % 2) {
    values[threadIdx.x] = blockIdx.x;
    cg::this_thread_block().sync();
  } else {
    values[threadIdx.x] = 2 * blockIdx.x;
    cg::this_thread_block().sync();
  }
  atomicAdd(&out[blockIdx.x], values[live - 1 - threadIdx.x]);
}

int main() {
  constexpr int blocks = 150;
  for (int live : {1, 20, 64, 100, 128}) {
    int* out = deviceArray<int>(blocks);
    sumOfFirst<<<blocks, 128>>>(out, live);
    expect<int>("sum", out, blocks, [&](std::size_t block) {
      return live * static_cast<int>(block) + live * (live - 1) / 2;
    });
    int* places = deviceArray<int>(blocks);
    twoPlaces<<<blocks, 128>>>(places, live);
    expect<int>("places", places, blocks, [&](std::size_t block) {
      return ((live + 1) / 2 * 2 + live / 2) * static_cast<int>(block);
    });
  }
}
