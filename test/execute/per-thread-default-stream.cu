// The per-thread default stream: launches without a stream go through other entry points.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags=--default-stream=per-thread
// RUN: python3 %S/compare.py %s -o %t-shared --build=%build --nvcc=%nvcc --flags="--default-stream=per-thread -cudart=shared"
#include "Inputs/Expect.h"

__global__ void append(int* values, int digit) {
  int& value = values[blockIdx.x * blockDim.x + threadIdx.x];
  value = value * 10 + digit;
}

int main() {
  int* values = deviceArray<int>(30 * 32);
  must(cudaDeviceSynchronize(), "setup");
  for (int digit = 1; digit <= 5; ++digit)
    append<<<30, 32>>>(values, digit);
  must(cudaStreamSynchronize(cudaStreamPerThread), "per thread");
  expect<int>("order", values, 30 * 32, [](std::size_t) { return 12345; });
}
