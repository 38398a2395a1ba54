// Overloads that read the block's index, or exchange between lanes after others have left: each
// kernel means the one that it meant before, by type and by number of arguments.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

constexpr int kBlocks = 40, kThreads = 64;

template <class T> __device__ void exchange(T& value, int lanes) {
  value = __shfl_xor_sync(0xffffffffu, value, lanes);
}
template <class T> __device__ void exchange(T& first, T& second, int lanes) {
  const T other = __shfl_xor_sync(0xffffffffu, first, lanes);
  first = __shfl_xor_sync(0xffffffffu, second, lanes);
  second = other;
}
__device__ int place(int thread) { return blockIdx.x * kThreads + thread; }
__device__ int place(float block) { return static_cast<int>(block) * kThreads; }

__global__ void one(int* out, int live) {
  if (threadIdx.x < live) {
    int value = threadIdx.x;
    exchange(value, 1);
    out[place(int(threadIdx.x))] = value;
  }
}

__global__ void two(int* out, int live) {
  if (threadIdx.x < live) {
    int first = threadIdx.x, second = 1000 + threadIdx.x;
    exchange(first, second, 2);
    out[place(int(threadIdx.x))] = first * 10000 + second;
  }
}

__global__ void other(int* out) { out[place(blockIdx.x + 0.5f) + threadIdx.x] = blockIdx.x; }

int main() {
  int* ones = deviceArray<int>(kBlocks * kThreads);
  one<<<kBlocks, kThreads>>>(ones, 44);
  expect<int>("one", ones, kBlocks * kThreads, [](std::size_t index) {
    const int thread = index % kThreads;
    return thread < 44 ? thread ^ 1 : 0;
  });
  int* twos = deviceArray<int>(kBlocks * kThreads);
  two<<<kBlocks, kThreads>>>(twos, 44);
  expect<int>("two", twos, kBlocks * kThreads, [](std::size_t index) {
    const int thread = index % kThreads;
    return thread < 44 ? (1000 + (thread ^ 2)) * 10000 + (thread ^ 2) : 0;
  });
  int* others = deviceArray<int>(kBlocks * kThreads);
  other<<<kBlocks, kThreads>>>(others);
  expect<int>("other", others, kBlocks * kThreads,
              [](std::size_t index) { return static_cast<int>(index / kThreads); });
}
