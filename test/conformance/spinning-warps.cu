// Warp 0 spins on a flag in shared memory that the last warp of its block sets.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

__global__ void wait(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x / 32 == blockDim.x / 32 - 1)
    flag = 1;
  if (threadIdx.x / 32 == 0)
    while (!flag) {
    }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1 + flag;
}

int main() {
  int* out = deviceArray<int>(10 * 256);
  wait<<<10, 256>>>(out);
  expect<int>("flags", out, 10 * 256, [](std::size_t) { return 2; });
}
