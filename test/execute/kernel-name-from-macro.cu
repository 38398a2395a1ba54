// The kernel's specifiers come out of a macro.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

#define KERNEL(name) __global__ void name

KERNEL(squares)(int* out) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  out[index] = index * index + 1;
}

int main() {
  int* out = deviceArray<int>(40 * 64);
  squares<<<40, 64>>>(out);
  expect<int>("squares", out, 40 * 64,
              [](std::size_t index) { return static_cast<int>(index * index) + 1; });
}
