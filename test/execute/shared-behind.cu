// Kernels that take all of their static shared memory, also with dynamic memory that they opt in
// to, and one whose dynamic memory is where it would be natively: behind nothing but 128 bytes.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_90 -std=c++17 -diag-suppress=20054"
#include "Inputs/Expect.h"

#include <cuda/barrier>

constexpr int kBlocks = 50, kThreads = 64, kWords = 48 * 256;

__global__ void full(int* out) {
  __shared__ int all[kWords];
  for (int i = threadIdx.x; i < kWords; i += kThreads)
    all[i] = i + blockIdx.x;
  __syncthreads();
  int sum = 0;
  for (int i = threadIdx.x; i < kWords; i += kThreads)
    sum += all[kWords - 1 - i];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

extern __shared__ unsigned char bytes[];
/// The last byte of an odd number of them is the block's own, and so is every static word.
__global__ void more(int* out, int count) {
  __shared__ int all[kWords];
  for (int i = threadIdx.x; i < kWords; i += kThreads)
    all[i] = blockIdx.x;
  for (int i = threadIdx.x; i < count; i += kThreads)
    bytes[i] = blockIdx.x;
  __syncthreads();
  int same = 0;
  for (int i = threadIdx.x; i < count; i += kThreads)
    same += bytes[count - 1 - i] == blockIdx.x && all[kWords - 1 - i] == blockIdx.x;
  out[blockIdx.x * kThreads + threadIdx.x] = same;
}

__global__ void tiles(int* out, int count) {
  __shared__ alignas(128) char pad[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0)
    init(&bar, kThreads);
  pad[threadIdx.x] = blockIdx.x;
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += kThreads)
    bytes[i] = blockIdx.x + i;
  bar.arrive_and_wait();
  const unsigned place = __cvta_generic_to_shared(bytes) - __cvta_generic_to_shared(pad);
  out[blockIdx.x * kThreads + threadIdx.x] = place * 1000 + bytes[count - 1 - threadIdx.x] + pad[0];
}

int main() {
  int* fulls = deviceArray<int>(kBlocks * kThreads);
  full<<<kBlocks, kThreads>>>(fulls);
  expect<int>("full", fulls, kBlocks * kThreads, [](std::size_t index) {
    const int thread = index % kThreads, block = index / kThreads;
    int sum = 0;
    for (int i = thread; i < kWords; i += kThreads)
      sum += kWords - 1 - i + block;
    return sum;
  });
  const int count = 6001;
  cudaFuncSetAttribute(more, cudaFuncAttributeMaxDynamicSharedMemorySize, 8192);
  int* mores = deviceArray<int>(kBlocks * kThreads);
  more<<<kBlocks, kThreads, count>>>(mores, count);
  expect<int>("more", mores, kBlocks * kThreads, [](std::size_t index) {
    return (count - int(index % kThreads) + kThreads - 1) / kThreads;
  });
  int* tiled = deviceArray<int>(kBlocks * kThreads);
  tiles<<<kBlocks, kThreads, count>>>(tiled, count);
  expect<int>("tiles", tiled, kBlocks * kThreads, [](std::size_t index) {
    const int thread = index % kThreads, block = index / kThreads;
    return 144000 + (block + count - 1 - thread) % 256 + block;
  });
}
