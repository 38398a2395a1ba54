// A kernel template over a type and a number, instantiated four times from host code.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

template <class T, int kFactor> __global__ void scale(T* values, T offset) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  values[index] = static_cast<T>(index * kFactor) + offset;
}

template <class T, int kFactor> void run(const char* what, T offset) {
  T* values = deviceArray<T>(50 * 64);
  scale<T, kFactor><<<50, 64>>>(values, offset);
  expect<T>(what, values, 50 * 64,
            [=](std::size_t index) { return static_cast<T>(static_cast<int>(index) * kFactor) + offset; });
}

int main() {
  run<int, 3>("int 3", 5);
  run<int, -2>("int -2", 1);
  run<float, 3>("float 3", 0.5f);
  run<double, 7>("double 7", 0.25);
}
