// Constant and device variables: both variants of a kernel see the same storage.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__constant__ int table[16] = {9, 8, 7};
__constant__ float factor;
__device__ int calls;

__global__ void lookUp(float* out) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  out[index] = table[index % 16] * factor;
  if (threadIdx.x == 0)
    atomicAdd(&calls, 1);
}

int main() {
  const float half = 0.5f;
  must(cudaMemcpyToSymbol(factor, &half, sizeof half), "factor");
  float* out = deviceArray<float>(20 * 64);
  lookUp<<<20, 64>>>(out);
  expect<float>("initial", out, 20 * 64, [](std::size_t index) {
    return index % 16 < 3 ? (9 - index % 16) * 0.5f : 0.0f;
  });
  int fresh[16];
  for (int index = 0; index < 16; ++index)
    fresh[index] = index * index;
  must(cudaMemcpyToSymbol(table, fresh, sizeof fresh), "table");
  lookUp<<<20, 64>>>(out);
  expect<float>("changed", out, 20 * 64,
                [](std::size_t index) { return index % 16 * (index % 16) * 0.5f; });
  int count = 0;
  must(cudaMemcpyFromSymbol(&count, calls, sizeof count), "calls");
  std::printf("calls: %d\n", count);
}
