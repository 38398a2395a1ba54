// Lambdas with default captures, by value and by reference, use blockIdx inside the kernel.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void lambdas(int* out) {
  int bias = 0;
  auto index = [=] { return blockIdx.x * blockDim.x + threadIdx.x; };
  auto raise = [&](int by) { bias += by + gridDim.x + blockIdx.x; };
  raise(2);
  raise(3);
  out[index()] = bias;
}

int main() {
  int* out = deviceArray<int>(41 * 32);
  lambdas<<<41, 32>>>(out);
  expect<int>("lambdas", out, 41 * 32,
              [](std::size_t index) { return 5 + 2 * (41 + static_cast<int>(index) / 32); });
}
