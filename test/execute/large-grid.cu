// More than 65535 blocks in x, and a grid whose y is the long side.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void mark(unsigned char* out) {
  if (threadIdx.x == 0)
    out[blockIdx.y * gridDim.x + blockIdx.x] += 1 + blockIdx.x % 100;
}

int main() {
  unsigned char* out = deviceArray<unsigned char>(70001);
  mark<<<70001, 1>>>(out);
  expect<unsigned char>("wide", out, 70001, [](std::size_t index) { return 1 + index % 100; });
  unsigned char* high = deviceArray<unsigned char>(2 * 30000);
  mark<<<dim3(2, 30000), 32>>>(high);
  expect<unsigned char>("high", high, 60000, [](std::size_t index) { return 1 + index % 2; });
}
