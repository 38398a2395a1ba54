// The kernel changes its own parameters: each logical block must start with fresh ones.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void walk(int* out, int count, int step) {
  out += blockIdx.x * blockDim.x;
  count -= blockIdx.x * blockDim.x;
  step *= threadIdx.x + 1;
  while (count > 50)
    count -= 7;
  out[threadIdx.x] = count + step;
}

int main() {
  constexpr int blocks = 64, threads = 40, count = blocks * threads;
  int* out = deviceArray<int>(count);
  walk<<<blocks, threads>>>(out, count, 3);
  expect<int>("walk", out, count, [](std::size_t index) {
    int left = count - static_cast<int>(index / threads * threads);
    while (left > 50)
      left -= 7;
    return left + 3 * (static_cast<int>(index % threads) + 1);
  });
}
