// Blocks of 1, 31, 33 and 100 threads with a barrier: the last warp is not full.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void rotate(int* out) {
  __shared__ int line[128];
  line[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = line[(threadIdx.x + 1) % blockDim.x];
}

int main() {
  for (unsigned threads : {1u, 31u, 33u, 100u}) {
    int* out = deviceArray<int>(70 * threads);
    rotate<<<70, threads>>>(out);
    expect<int>("rotate", out, 70 * threads, [=](std::size_t index) {
      return static_cast<int>(index / threads * 1000 + (index + 1) % threads);
    });
  }
}
