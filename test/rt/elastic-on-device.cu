// Kernels come and go beside one that lasts; its budget falls and rises. Every logical block runs once,
// and what follows it in its stream sees all of them.
//
// RUN: %gpusched-cc -arch=sm_90 %s -o %t
// RUN: env GPUSCHED_COUNTERS=%t.counters.json %gpusched run --device=cpu --policy=even --trace=%t.json -- %t | FileCheck %s
// RUN: %gpusched run --device=cpu --policy=warped-slicer -- %t | FileCheck %s
// RUN: not grep -q '"variant": "native"' %t.json
// More twins ran than the program launched: the others helped.
// RUN: grep -o '"launches": [0-9]*' %t.counters.json | awk '{ sum += $2 } END { exit !(sum > 14) }'
#include <cstdio>
#include <cuda_runtime.h>

__global__ void last(unsigned* runs, int rounds) {
  float x = threadIdx.x;
  for (int i = 0; i < rounds; ++i)
    x = x * 0.5f + 1;
  if (threadIdx.x == blockDim.x - 1)
    atomicAdd(&runs[blockIdx.x], x > 0 ? 1u : 2u);
}

__global__ void countOnes(const unsigned* runs, int n, unsigned* ones) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (runs[i] == 1)
      atomicAdd(ones, 1u);
}

int main() {
  const int kBlocks = 20000, kGuests = 12;
  unsigned *runs, *ones;
  cudaMallocManaged(&runs, (kBlocks + 500) * sizeof(unsigned));
  cudaMallocManaged(&ones, sizeof(unsigned));
  cudaMemset(runs, 0, (kBlocks + 500) * sizeof(unsigned));
  cudaDeviceSynchronize(); // the streams below do not wait for the default stream
  *ones = 0;
  cudaStream_t lasting, guests;
  cudaStreamCreateWithFlags(&lasting, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&guests, cudaStreamNonBlocking);
  last<<<kBlocks, 1024, 0, lasting>>>(runs, 20);
  countOnes<<<1, 256, 0, lasting>>>(runs, kBlocks, ones);
  for (int i = 0; i < kGuests; ++i) {
    last<<<500, 64, 0, guests>>>(runs + kBlocks, 50);
    cudaStreamSynchronize(guests);
  }
  cudaError_t error = cudaDeviceSynchronize();
  bool right = true;
  for (int i = 0; i < 500; ++i)
    right = right && runs[kBlocks + i] == unsigned(kGuests);
  // CHECK: 20000 blocks ran once, guests 1: no error
  std::printf("%u blocks ran once, guests %d: %s\n", *ones, right, cudaGetErrorString(error));
}
