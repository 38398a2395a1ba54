// Five hundred launches in a row: nothing may leak or run out, and order within the stream holds.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void chain(unsigned* values, unsigned round) {
  unsigned& value = values[blockIdx.x * blockDim.x + threadIdx.x];
  value = value * 3u + round;
}

int main() {
  unsigned* values = deviceArray<unsigned>(4 * 32);
  for (unsigned round = 0; round < 500; ++round)
    chain<<<4, 32>>>(values, round);
  expect<unsigned>("chain", values, 4 * 32, [](std::size_t) {
    unsigned value = 0;
    for (unsigned round = 0; round < 500; ++round)
      value = value * 3u + round;
    return value;
  });
}
