// The last block to finish adds up what the others stored: counts gridDim.x, which must be the
// logical one, through a device global.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__device__ unsigned finished;

__global__ void total(const int* in, long long* partial, long long* out) {
  __shared__ bool last;
  __shared__ long long sums[64];
  sums[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    long long sum = 0;
    for (int index = 0; index < 64; ++index)
      sum += sums[index];
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    long long sum = 0;
    for (unsigned block = 0; block < gridDim.x; ++block)
      sum += static_cast<volatile long long*>(partial)[block];
    *out = sum;
  }
}

int main() {
  constexpr int blocks = 123;
  std::vector<int> in(blocks * 64);
  long long sum = 0;
  for (std::size_t index = 0; index < in.size(); ++index)
    sum += in[index] = static_cast<int>(index * 31 % 997) - 400;
  for (int round = 0; round < 3; ++round) {
    long long* out = deviceArray<long long>(1);
    total<<<blocks, 64>>>(deviceCopy(in), deviceArray<long long>(blocks), out);
    expect<long long>("total", out, 1, [&](std::size_t) { return sum; });
  }
}
