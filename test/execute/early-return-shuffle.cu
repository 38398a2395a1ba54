// Part of a warp returns before a full-mask shuffle of the rest of the kernel: the persistent form
// cannot keep that meaning, so the kernel stays native and says why.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --expect=native
#include "Inputs/Expect.h"

__global__ void tailSum(const int* in, int* out, int live) {
  if (threadIdx.x >= live)
    return;
  int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xFFFFFFFFu, sum, distance);
  if (threadIdx.x % 32 == 0)
    out[blockIdx.x * 2 + threadIdx.x / 32] = sum;
}

int main() {
  std::vector<int> in(30 * 64, 2);
  int* out = deviceArray<int>(60);
  tailSum<<<30, 64>>>(deviceCopy(in), out, 64);
  expect<int>("sums", out, 60, [](std::size_t) { return 64; });
}
