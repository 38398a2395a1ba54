// The legacy default stream waits for blocking streams and they for it.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void append(int* value, int digit) {
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    *value = *value * 10 + digit;
}

int main() {
  cudaStream_t first, second;
  must(cudaStreamCreate(&first), "stream");
  must(cudaStreamCreate(&second), "stream");
  int* value = deviceArray<int>(1);
  append<<<20, 32, 0, first>>>(value, 1);
  append<<<20, 32>>>(value, 2);
  append<<<20, 32, 0, second>>>(value, 3);
  append<<<20, 32>>>(value, 4);
  append<<<20, 32, 0, first>>>(value, 5);
  must(cudaStreamSynchronize(first), "first");
  expect<int>("order", value, 1, [](std::size_t) { return 12345; });
}
