// pair.cu - a memory kernel and a compute kernel on two streams; prints checksums.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cuda_runtime.h>

__global__ void stream(const float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = a[i] * 2;
}

__global__ void iterate(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = float(i % 100);
  for (int round = 0; round < 200; ++round)
    x = sqrtf(x) + 0.5f;
  if (i < n)
    out[i] = x;
}

int main() {
  const int kN = 1 << 18;
  float *a, *b, *c;
  cudaMallocManaged(&a, kN * sizeof(float));
  cudaMallocManaged(&b, kN * sizeof(float));
  cudaMallocManaged(&c, kN * sizeof(float));
  for (int i = 0; i < kN; ++i)
    a[i] = float(i % 1000);
  cudaStream_t streams[2];
  for (cudaStream_t& made : streams)
    cudaStreamCreate(&made);
  for (int round = 0; round < 3; ++round) {
    stream<<<kN / 256, 256, 0, streams[0]>>>(a, b, kN);
    iterate<<<kN / 128, 128, 0, streams[1]>>>(c, kN);
  }
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  double sumB = 0, sumC = 0;
  for (int i = 0; i < kN; ++i)
    sumB += double(b[i]) * (i % 7), sumC += double(c[i]) * (i % 11);
  std::printf("%.17g %.17g\n", sumB, sumC);
}
