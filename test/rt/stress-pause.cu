// The stress knob: kernels paused and resumed all the time give the bytes of a run without it.
//
// RUN: %gpusched-cc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t > %t.native
// RUN: env GPUSCHED_PAUSE_EVERY=300 %gpusched run --device=cpu --variant=persistent \
// RUN:   --blocks-per-sm=1 --sms=0-1 --trace=%t.json -- %t > %t.paused
// RUN: cmp %t.native %t.paused
// RUN: grep -Eq '"pauses": [1-9]' %t.json
#include <cstdio>
#include <cuda_runtime.h>

__global__ void reverseInBlock(const float* in, float* out) {
  __shared__ float tile[64];
  float x = in[blockIdx.x * 64 + threadIdx.x];
  for (int i = 0; i < 500; ++i)
    x = x * 0.999f + 0.25f;
  tile[63 - threadIdx.x] = x;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x] + blockIdx.x;
}

int main() {
  const int kBlocks = 3000;
  float *a, *b;
  cudaMallocManaged(&a, kBlocks * 64 * sizeof(float));
  cudaMallocManaged(&b, kBlocks * 64 * sizeof(float));
  for (int i = 0; i < kBlocks * 64; ++i)
    a[i] = float(i % 1000);
  reverseInBlock<<<kBlocks, 64>>>(a, b);
  reverseInBlock<<<kBlocks, 64>>>(b, a);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < kBlocks * 64; ++i)
    sum += double(a[i]) * (i % 13);
  std::printf("%.17g\n", sum);
}
