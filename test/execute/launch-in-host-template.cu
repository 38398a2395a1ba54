// The launch stands in a host template, so the kernel's instantiation depends on it.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

template <class Operation> __global__ void apply(int* values, Operation operation) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  values[index] = operation(values[index], index);
}

struct Add {
  int amount;
  __device__ int operator()(int value, int) const { return value + amount; }
};
struct Subtract {
  __device__ int operator()(int value, int index) const { return value - index; }
};

template <class Operation> struct Pipeline {
  Operation operation;
  void run(int* values, int times) const {
    for (int round = 0; round < times; ++round)
      apply<<<31, 32>>>(values, operation);
  }
};

int main() {
  int* values = deviceArray<int>(31 * 32);
  Pipeline<Add>{{7}}.run(values, 3);
  Pipeline<Subtract>{}.run(values, 2);
  expect<int>("pipeline", values, 31 * 32,
              [](std::size_t index) { return 21 - 2 * static_cast<int>(index); });
}
