// Calls of dependent member templates without `template`, of members that read the block's index,
// wait, or do neither: twins do what their kernels do.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=native
#include "Inputs/Expect.h"

constexpr int kBlocks = 37, kThreads = 64;

template <int Size> struct Tile {
  int values[Size];
  template <int Step> __device__ void fill(int first) {
    for (int i = 0; i < Size; ++i)
      values[i] = first + Step * i + blockIdx.x * gridDim.x;
  }
  template <int Step> __device__ int rotated(int* shared, int live) {
    shared[threadIdx.x] = values[Step % Size];
    __syncthreads();
    return shared[(threadIdx.x + Step) % live];
  }
  template <int From, int Count> __device__ int sum(int start) const {
    for (int i = From; i < From + Count; ++i)
      start += values[i];
    return start;
  }
  template <int Factor> static __device__ int place(int thread) {
    return (Factor * blockIdx.x + thread) % (kBlocks * kThreads);
  }
};

template <class T, int Step> __global__ void mixed(int* out, int live) {
  __shared__ int shared[kThreads];
  T tile;
  tile.fill<Step>(threadIdx.x);
  if (threadIdx.x >= live)
    return;
  int found;
  found = tile.sum<1, 2>(Step);
  found = found * 31 + tile.rotated<Step>(shared, live);
  out[T::place<kThreads>(int(threadIdx.x))] = found;
}

template <int Size, int Step> void check(const char* what, int live) {
  int* out = deviceArray<int>(kBlocks * kThreads);
  mixed<Tile<Size>, Step><<<kBlocks, kThreads>>>(out, live);
  expect<int>(what, out, kBlocks * kThreads, [=](std::size_t index) {
    const int block = int(index) / kThreads, thread = int(index) % kThreads;
    const auto value = [=](int of, int i) { return of + Step * i + block * kBlocks; };
    const int sum = Step + value(thread, 1) + value(thread, 2);
    return thread < live ? sum * 31 + value((thread + Step) % live, Step % Size) : 0;
  });
}

int main() {
  check<4, 3>("all threads", kThreads);
  check<5, 2>("some leave", 40);
}
