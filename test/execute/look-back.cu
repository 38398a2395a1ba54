// Each block spins until the block before it has published its prefix: finishes only if logical
// blocks are claimed in increasing order and every claimed one makes progress.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void prefix(const int* in, int* out, volatile int* carry, volatile int* ready) {
  __shared__ int before;
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int lane = 0; lane < blockDim.x; ++lane)
      sum += in[index + lane];
    if (blockIdx.x > 0)
      while (!ready[blockIdx.x - 1]) {
      }
    __threadfence();
    before = blockIdx.x > 0 ? carry[blockIdx.x - 1] : 0;
    carry[blockIdx.x] = before + sum;
    __threadfence();
    ready[blockIdx.x] = 1;
  }
  __syncthreads();
  int sum = before;
  for (int lane = 0; lane <= threadIdx.x; ++lane)
    sum += in[blockIdx.x * blockDim.x + lane];
  out[index] = sum;
}

int main() {
  constexpr int blocks = 200, threads = 32;
  std::vector<int> in(blocks * threads), sums(blocks * threads);
  int sum = 0;
  for (std::size_t index = 0; index < in.size(); ++index)
    sums[index] = sum += in[index] = static_cast<int>(index % 13) - 5;
  int* out = deviceArray<int>(in.size());
  prefix<<<blocks, threads>>>(deviceCopy(in), out, deviceArray<int>(blocks),
                              deviceArray<int>(blocks));
  expect<int>("prefix", out, in.size(), [&](std::size_t index) { return sums[index]; });
}
