// Friends that read the built-ins reach the private members through their objects; one of them
// calls another that is known at its definition only.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

constexpr int kBlocks = 37;

template <class C> __device__ void count(C& counter, int by, int add = -3);

template <class T> class Counter {
  class Step {
    template <class C> friend __device__ void count(C& counter, int by, int add);
    T by = 2;
  };
  template <class C> friend __device__ void count(C& counter, int by, int add);
  template <class C> friend __device__ void write(C& counter, T value);
  Step step;
  T* out;

public:
  explicit Counter(T* out) : out(out) {}
};

template <class C> __device__ void write(C& counter, int value) {
  counter.out[blockIdx.x] = value + gridDim.x;
}

template <class C> __device__ void count(C& counter, int by, int add) {
  write(counter, counter.step.by * by + add);
}

__global__ void counts(Counter<int> counter) { count(counter, blockIdx.x); }

int main() {
  int* out = deviceArray<int>(kBlocks);
  counts<<<kBlocks, 1>>>(Counter<int>(out));
  expect<int>("each block counts for itself", out, kBlocks,
              [](std::size_t block) { return 2 * int(block) - 3 + kBlocks; });
}
