// Blocks of 1024 threads with barriers: only one or two fit on an SM.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void scan(const int* in, int* out) {
  __shared__ int sums[2][1024];
  int source = 0;
  sums[0][threadIdx.x] = in[blockIdx.x * 1024 + threadIdx.x];
  __syncthreads();
  for (int distance = 1; distance < 1024; distance *= 2, source ^= 1) {
    const int before = threadIdx.x >= distance ? sums[source][threadIdx.x - distance] : 0;
    sums[source ^ 1][threadIdx.x] = sums[source][threadIdx.x] + before;
    __syncthreads();
  }
  out[blockIdx.x * 1024 + threadIdx.x] = sums[source][threadIdx.x];
}

int main() {
  constexpr int blocks = 9;
  std::vector<int> in(blocks * 1024), sums(in.size());
  for (std::size_t index = 0; index < in.size(); ++index) {
    in[index] = static_cast<int>(index * 7 % 11);
    sums[index] = in[index] + (index % 1024 ? sums[index - 1] : 0);
  }
  int* out = deviceArray<int>(in.size());
  scan<<<blocks, 1024>>>(deviceCopy(in), out);
  expect<int>("scan", out, in.size(), [&](std::size_t index) { return sums[index]; });
}
