// lasting.cu - `lasting stream FILE` or `lasting iterate FILE`: a kernel that lasts until the file is
// there; `lasting`: both for a moment, to be profiled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block works until the host has seen the file, and counts itself once.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <unistd.h>

constexpr int kBlocks = 20000, kThreads = 128, kItems = 1 << 16, kForEver = 1 << 30;

__global__ void stream(const volatile int* stop, int rounds, const float* a, float* b,
                       unsigned* runs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < rounds && !*stop; ++round)
    b[(i + round * 1024) % kItems] = a[(i + round * 2048) % kItems] * 2;
  if (threadIdx.x == 0)
    atomicAdd(&runs[blockIdx.x], 1u);
}

__global__ void iterate(const volatile int* stop, int rounds, const float* a, float* b,
                        unsigned* runs) {
  float x = a[threadIdx.x];
  for (int round = 0; round < rounds && !*stop; ++round)
    for (int i = 0; i < 500; ++i)
      x = sqrtf(x) + 0.5f;
  b[threadIdx.x] = x;
  if (threadIdx.x == 0)
    atomicAdd(&runs[blockIdx.x], 1u);
}

int main(int argc, char** argv) {
  int* stop;
  float *a, *b;
  unsigned* runs;
  cudaMallocHost(&stop, sizeof(int));
  cudaMallocManaged(&a, kItems * sizeof(float));
  cudaMallocManaged(&b, kItems * sizeof(float));
  cudaMallocManaged(&runs, kBlocks * sizeof(unsigned));
  for (int i = 0; i < kItems; ++i)
    a[i] = 1;
  cudaMemset(runs, 0, kBlocks * sizeof(unsigned));
  *stop = 0;
  if (argc == 1) {
    stream<<<500, kThreads>>>(stop, 20, a, b, runs);
    iterate<<<500, kThreads>>>(stop, 2, a, b, runs + 500);
  } else {
    auto* kernel = std::strcmp(argv[1], "stream") == 0 ? stream : iterate;
    kernel<<<kBlocks, kThreads>>>(stop, kForEver, a, b, runs);
    while (access(argv[2], F_OK) != 0)
      usleep(1000);
    *const_cast<volatile int*>(stop) = 1;
  }
  const cudaError_t error = cudaDeviceSynchronize();
  int once = 0;
  for (int i = 0; i < kBlocks; ++i)
    once += runs[i] == 1;
  std::printf("%d blocks ran once: %s\n", once, cudaGetErrorString(error));
}
