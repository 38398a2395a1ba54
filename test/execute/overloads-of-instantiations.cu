// Instantiations of one text mean overloads that differ in their template parameters only, or by the
// type that they are given: what is least and most in fours of lanes.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=some
#include "Inputs/Expect.h"

constexpr int kBlocks = 40, kThreads = 64, kLive = 44;
enum class Kind { Sum, Most, Least };

template <Kind kind> __device__ int joined(int a, int b) {
  return kind == Kind::Sum ? a + b : kind == Kind::Most ? max(a, b) : min(a, b);
}
template <class T, Kind first, int lanes = 4> __device__ void fold(T* values) {
  for (int by = 1; by < lanes; by *= 2)
    values[0] = joined<first>(values[0], __shfl_xor_sync(0xffffffffu, values[0], by, lanes));
}
template <class T, Kind first, Kind second, int lanes = 4> __device__ void fold(T* values) {
  fold<T, first, lanes>(values);
  for (int by = 1; by < lanes; by *= 2)
    values[1] = joined<second>(values[1], __shfl_xor_sync(0xffffffffu, values[1], by, lanes));
}
template <Kind... kinds> __device__ int folded(int value) {
  int values[sizeof...(kinds)];
  for (int& each : values)
    each = value + blockIdx.x;
  fold<int, kinds...>(values);
  fold<int, kinds..., 2>(values);
  int all = 0;
  for (int each : values)
    all = all * 1000 + each;
  return all;
}

// Lanes 32 to 43 are alone in their warp.
template <Kind... kinds> __global__ void sums(int* out) {
  if (threadIdx.x < kLive)
    out[blockIdx.x * kThreads + threadIdx.x] = folded<kinds...>(threadIdx.x);
}

__device__ int place(int n) { return blockIdx.x * n; }
__device__ double place(double x) { return x / 2; }
template <class T> __device__ T placed(T n) { return place(n) + place(n); }
__global__ void places(int* out) {
  out[blockIdx.x * kThreads + threadIdx.x] = placed(int(threadIdx.x)) + int(placed(3.0));
}

int main() {
  int* ones = deviceArray<int>(kBlocks * kThreads);
  sums<Kind::Most><<<kBlocks, kThreads>>>(ones);
  expect<int>("one", ones, kBlocks * kThreads, [](std::size_t index) {
    const int thread = index % kThreads, block = index / kThreads;
    return thread < kLive ? block + (thread | 3) : 0;
  });
  int* twos = deviceArray<int>(kBlocks * kThreads);
  sums<Kind::Least, Kind::Most><<<kBlocks, kThreads>>>(twos);
  expect<int>("two", twos, kBlocks * kThreads, [](std::size_t index) {
    const int thread = index % kThreads, block = index / kThreads;
    return thread < kLive ? (block + (thread & ~3)) * 1000 + block + (thread | 3) : 0;
  });
  int* placed = deviceArray<int>(kBlocks * kThreads);
  places<<<kBlocks, kThreads>>>(placed);
  expect<int>("places", placed, kBlocks * kThreads, [](std::size_t index) {
    return static_cast<int>(index / kThreads * (index % kThreads) * 2 + 3);
  });
}
