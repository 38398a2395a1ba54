// With -rdc, functions that are passed to functions of the file or of libcu++, whose atomics do so.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-rdc=true -arch=sm_90 -std=c++17"
#include "Inputs/Expect.h"

#include <cuda/atomic>

__device__ int twice(int value) { return 2 * value; }
__device__ int square(int value) { return value * value; }
__device__ int apply(int (*function)(int), int value) { return function(value); }

__global__ void count(int* counts, int* most) {
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(counts[threadIdx.x % 4]);
  sum.fetch_add(apply(blockIdx.x % 2 ? twice : square, 3));
  cuda::atomic_ref<int, cuda::thread_scope_device>(*most).fetch_max(blockIdx.x);
}

int main() {
  constexpr int blocks = 60, threads = 64;
  int *counts = deviceArray<int>(4), *most = deviceArray<int>(1);
  count<<<blocks, threads>>>(counts, most);
  expect<int>("counts", counts, 4, [](std::size_t) { return blocks / 2 * (threads / 4) * (6 + 9); });
  expect<int>("most", most, 1, [](std::size_t) { return blocks - 1; });
}
