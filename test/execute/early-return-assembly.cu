// Threads leave before the block's barrier in assembly, in the kernel and in a function.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=native
#include "Inputs/Expect.h"

__device__ int sumOf(const int* values, int count) {
  asm volatile("barrier.sync 0;" ::: "memory");
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += values[i];
  return sum;
}

__global__ void sums(int* out, int live) {
  __shared__ int values[128];
  if (threadIdx.x >= live)
    return;
  values[threadIdx.x] = blockIdx.x + threadIdx.x;
  asm volatile("bar.sync 0;" ::: "memory");
  const int before = values[live - 1 - threadIdx.x];
  asm volatile("bar.sync 0;" ::: "memory");
  values[threadIdx.x] += before;
  const int sum = sumOf(values, live);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

int main() {
  constexpr int blocks = 150;
  for (int live : {1, 20, 64, 100, 128}) {
    int* out = deviceArray<int>(blocks);
    sums<<<blocks, 128>>>(out, live);
    expect<int>("sum", out, blocks, [&](std::size_t block) {
      return 2 * live * static_cast<int>(block) + live * (live - 1);
    });
  }
}
