// Functions that call themselves or specialisations of their template, which shuffle behind an
// early return or read the block's number: sums over pairs of lanes, digits of Fibonacci's numbers.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=some
#include "Inputs/Expect.h"

constexpr int kBlocks = 40, kThreads = 64, kLive = 44;

namespace lanes {
template <class T> __device__ T other(T value) { return __shfl_xor_sync(0xffffffffu, value, 1); }
template <> __device__ inline int2 other<int2>(int2 value) {
  return {other(value.x), other<int>(value.y)};
}
template <class T> __device__ int weight(T);
template <> __device__ int weight(int) { return blockIdx.x; }
} // namespace lanes
template <> __device__ int lanes::weight(int2 value) { return weight(value.x) + gridDim.x; }

/// Depth N, told of the block at its end only.
template <int N> __device__ int fibonacci() { return fibonacci<N - 1>() + fibonacci<N - 2>(); }
template <> __device__ int fibonacci<1>() { return blockIdx.x; }
template <> __device__ int fibonacci<0>() { return 1; }
__device__ int power(int base, int exponent) {
  return exponent == 0 ? 1 : (base + int(blockIdx.x)) % 7 * power(base, exponent - 1);
}

__global__ void pairs(int* ones, int2* twos) {
  if (threadIdx.x >= kLive)
    return;
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  ones[thread] = lanes::other(thread);
  twos[thread] = lanes::other(int2{thread, -thread});
}

__global__ void numbers(int* out) {
  const int value = threadIdx.x;
  out[blockIdx.x * kThreads + value] = lanes::weight(int2{value, 1}) +
                                       lanes::weight<int>(value) * 100 + fibonacci<7>() +
                                       power(value, 4) * 10000;
}

int expectedPower(int base) {
  return (base % 7) * (base % 7) * (base % 7) * (base % 7);
}

int main() {
  int* ones = deviceArray<int>(kBlocks * kThreads);
  int2* twos = deviceArray<int2>(kBlocks * kThreads);
  pairs<<<kBlocks, kThreads>>>(ones, twos);
  const auto other = [](std::size_t index) {
    return index % kThreads < kLive ? static_cast<int>(index ^ 1) : 0;
  };
  expect<int>("ones", ones, kBlocks * kThreads, other);
  expect<int>("twos", &twos->x, 2 * kBlocks * kThreads, [&](std::size_t index) {
    return index % 2 ? -other(index / 2) : other(index / 2);
  });
  int* results = deviceArray<int>(kBlocks * kThreads);
  numbers<<<kBlocks, kThreads>>>(results);
  expect<int>("numbers", results, kBlocks * kThreads, [](std::size_t index) {
    const int block = index / kThreads, thread = index % kThreads;
    return block + kBlocks + block * 100 + 13 * block + 8 + expectedPower(thread + block) * 10000;
  });
}
