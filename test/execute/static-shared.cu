// Static shared memory in two shapes, reused by every logical block: a block must not see what
// the block before it left.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void reversed(const int* in, int* out) {
  __shared__ int line[96];
  __shared__ unsigned touched;
  if (threadIdx.x == 0)
    touched = 0;
  __syncthreads();
  line[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&touched, 1u);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = line[blockDim.x - 1 - threadIdx.x] + touched;
}

int main() {
  constexpr int blocks = 77, threads = 96;
  std::vector<int> in(blocks * threads);
  for (std::size_t index = 0; index < in.size(); ++index)
    in[index] = static_cast<int>(index * index % 1009);
  int* out = deviceArray<int>(in.size());
  reversed<<<blocks, threads>>>(deviceCopy(in), out);
  expect<int>("reversed", out, in.size(), [&](std::size_t index) {
    return in[index / threads * threads + threads - 1 - index % threads] + threads;
  });
}
