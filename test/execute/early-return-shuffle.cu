// Lanes leave before warp primitives of the whole warp, in the kernel and in functions, between
// block barriers too; the last warp of a block may be short.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=native
#include "Inputs/Expect.h"

#include <cuda_fp16.h>

constexpr int kBlocks = 40;

template <class T> __device__ T sumOfWarp(T value, int lanes) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const T other = __shfl_down_sync(0xffffffffu, value, distance);
    if (static_cast<int>(threadIdx.x % 32) + distance < lanes)
      value = value + other;
  }
  return value;
}

__global__ void tailSum(int* out, int live) {
  if (threadIdx.x >= live)
    return;
  const int lanes = live - static_cast<int>(threadIdx.x / 32 * 32);
  const int sum = sumOfWarp(static_cast<int>(blockIdx.x), lanes);
  const __half ones = sumOfWarp(__float2half(1.0f), lanes);
  if (threadIdx.x % 32 == 0)
    atomicAdd(&out[blockIdx.x], sum + static_cast<int>(__half2float(ones)));
}

/// Barriers of the block and primitives of its warps in turn, while threads leave.
__global__ void both(int* out, int live) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;
  if (threadIdx.x >= live)
    return;
  int lanes = __popc(__ballot_sync(0xffffffffu, true));
  __syncthreads();
  if (threadIdx.x + 1 >= live)
    return;
  lanes += 100 * __popc(__ballot_sync(0xffffffffu, true));
  __syncwarp();
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    atomicAdd(&out[blockIdx.x], lanes + values[live - 2]);
}

int main() {
  for (int threads : {64, 48, 20})
    for (int live : {1, 7, 20}) {
      int* sums = deviceArray<int>(kBlocks);
      tailSum<<<kBlocks, threads>>>(sums, live);
      expect<int>("sums", sums, kBlocks,
                  [&](std::size_t block) { return live * (static_cast<int>(block) + 1); });
    }
  int* mixed = deviceArray<int>(kBlocks);
  both<<<kBlocks, 64>>>(mixed, 40);
  expect<int>("both", mixed, kBlocks, [](std::size_t) { return 40 + 100 * 39 + 2 * 38; });
}
