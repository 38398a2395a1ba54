// Arrays indexed at run time, a switch with returns in a callee, and a recursive device function.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__device__ int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ int classify(int value) {
  switch (value % 5) {
  case 0:
    return 10;
  case 1:
    return 20;
  case 3:
    return value;
  default:
    return -1;
  }
}

__global__ void mixed(int* out) {
  int history[24];
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < 24; ++step)
    history[(step * 7 + index) % 24] = step + classify(index + step);
  out[index] = history[index % 24] + ackermann(2, static_cast<int>(threadIdx.x % 3));
}

int main() {
  int* out = deviceArray<int>(22 * 32);
  mixed<<<22, 32>>>(out);
  expect<int>("mixed", out, 22 * 32, [](std::size_t index) {
    int last = 0;
    for (int step = 0; step < 24; ++step) {
      const int value = static_cast<int>(index) + step, rest = value % 5;
      if ((step * 7 + index) % 24 == index % 24)
        last = step + (rest == 0 ? 10 : rest == 1 ? 20 : rest == 3 ? value : -1);
    }
    return last + 2 * static_cast<int>(index % 32 % 3) + 3;
  });
}
