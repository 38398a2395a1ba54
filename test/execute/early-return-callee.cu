// Threads leave before barriers of a function that the kernel calls, and before warp primitives
// that name only the lanes that stayed.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=some
#include "Inputs/Expect.h"

template <class T> __device__ T sumOf(T* values, int live) {
  for (int distance = 1; distance < live; distance *= 2) {
    T other = threadIdx.x + distance < live ? values[threadIdx.x + distance] : 0;
    __syncthreads();
    if (threadIdx.x % (2 * distance) == 0)
      values[threadIdx.x] += other;
    __syncthreads();
  }
  return values[0];
}

__global__ void sumOfFirst(int* out, int live) {
  __shared__ int values[128];
  values[threadIdx.x] = blockIdx.x + threadIdx.x;
  if (threadIdx.x >= live)
    return;
  __syncthreads();
  const int sum = sumOf(values, live);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

__global__ void firstOfMany(int* out, int live) {
  const unsigned mask = __ballot_sync(0xffffffffu, threadIdx.x < live);
  if (threadIdx.x >= live)
    return;
  const int first = __shfl_sync(mask, static_cast<int>(threadIdx.x + blockIdx.x), 0);
  atomicAdd(&out[blockIdx.x], first);
}

int main() {
  constexpr int blocks = 150;
  for (int live : {1, 20, 64, 100, 128}) {
    int* out = deviceArray<int>(blocks);
    sumOfFirst<<<blocks, 128>>>(out, live);
    expect<int>("sum", out, blocks, [&](std::size_t block) {
      return live * static_cast<int>(block) + live * (live - 1) / 2;
    });
    int* firsts = deviceArray<int>(blocks);
    firstOfMany<<<blocks, 128>>>(firsts, live);
    expect<int>("firsts", firsts, blocks, [&](std::size_t block) {
      int sum = 0;
      for (int thread = 0; thread < live; ++thread)
        sum += static_cast<int>(block) + thread / 32 * 32;
      return sum;
    });
  }
}
