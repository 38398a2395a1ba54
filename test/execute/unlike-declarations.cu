// A function declared for both processors and defined for the device, the reverse, and arrays whose lengths are asked
// of objects: with a barrier and a block index in what Clang would not take.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-diag-suppress=20036" --outlined=native
#include "Inputs/Expect.h"

constexpr unsigned kBlocks = 23, kThreads = 64;

template <class T> struct Bins {
  enum { kCount = 8 };
  T values[kCount];
};

template <class T> __host__ __device__ T turned(T value, T* row);
template <class T> __device__ T placed(T value);

template <class T> inline __device__ T turned(T value, T* row) {
#ifdef __CUDA_ARCH__
  row[threadIdx.x] = value;
  __syncthreads();
  return row[kThreads - 1 - threadIdx.x];
#else
  return row[0];
#endif
}
template <class T> __host__ __device__ T placed(T value) {
#ifdef __CUDA_ARCH__
  return value + blockIdx.x;
#else
  return value;
#endif
}
template <class T> __device__ T summed(const Bins<T>& bins) {
  T sums[bins.kCount + 1] = {};
  for (int i = 0; i < bins.kCount; ++i)
    sums[i + 1] = sums[i] + bins.values[i];
  return sums[threadIdx.x % bins.kCount + 1];
}

template <class T> __global__ void places(Bins<T> bins, T* out) {
  __shared__ T row[kThreads];
  if (threadIdx.x == 99)
    return;
  out[blockIdx.x * kThreads + threadIdx.x] = turned(placed(summed(bins)), row);
}

int main() {
  int* const out = deviceArray<int>(kBlocks * kThreads);
  Bins<int> bins;
  for (int i = 0; i < bins.kCount; ++i)
    bins.values[i] = i * i + 1;
  places<<<kBlocks, kThreads>>>(bins, out);
  expect("places", out, kBlocks * kThreads, [&](std::size_t index) {
    int sum = 0;
    for (std::size_t i = 0; i <= (kThreads - 1 - index % kThreads) % bins.kCount; ++i)
      sum += bins.values[i];
    return sum + int(index / kThreads);
  });
}
