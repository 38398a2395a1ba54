// Copies from global to shared memory that run ahead: __pipeline_memcpy_async in two stages,
// cooperative_groups::memcpy_async with wait_prior. A logical block must not see the copies of the
// one before it in the same shared memory.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_80"
#include "Inputs/Expect.h"

#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

constexpr int kThreads = 64, kTiles = 5;

__global__ void staged(const int* in, int* out) {
  __shared__ int tile[2][kThreads];
  const int* const mine = in + blockIdx.x * kThreads * kTiles;
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], &mine[t], sizeof(int));
  __pipeline_commit();
  int sum = 0;
  for (int i = 0; i < kTiles; ++i) {
    if (i + 1 < kTiles)
      __pipeline_memcpy_async(&tile[(i + 1) % 2][t], &mine[(i + 1) * kThreads + t], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[i % 2][(t + 1) % kThreads];
    __syncthreads();
  }
  out[blockIdx.x * kThreads + t] = sum;
}

__global__ void grouped(const int* in, int* out) {
  namespace cg = cooperative_groups;
  extern __shared__ int tile[];
  const cg::thread_block block = cg::this_thread_block();
  const int first = blockIdx.x * kThreads;
  cg::memcpy_async(block, tile, in + first, sizeof(int) * kThreads);
  cg::memcpy_async(block, tile + kThreads, in + first, sizeof(int) * kThreads);
  cg::wait_prior<1>(block);
  const int low = tile[kThreads - 1 - threadIdx.x];
  cg::wait(block);
  out[first + threadIdx.x] = low + tile[2 * kThreads - 1 - threadIdx.x];
}

int main() {
  const int blocks = 41;
  std::vector<int> values(blocks * kThreads * kTiles);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = int(i * 7 % 1000);
  const int* const in = deviceCopy(values);
  int* const out = deviceArray<int>(blocks * kThreads);
  staged<<<blocks, kThreads>>>(in, out);
  expect<int>("staged", out, blocks * kThreads, [&](std::size_t i) {
    int sum = 0;
    for (int tile = 0; tile < kTiles; ++tile)
      sum += values[(i / kThreads * kTiles + tile) * kThreads + (i % kThreads + 1) % kThreads];
    return sum;
  });
  grouped<<<blocks, kThreads, 2 * kThreads * sizeof(int)>>>(in, out);
  expect<int>("grouped", out, blocks * kThreads, [&](std::size_t i) {
    return 2 * values[i / kThreads * kThreads + kThreads - 1 - i % kThreads];
  });
}
