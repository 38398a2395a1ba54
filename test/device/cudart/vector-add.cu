// A plain nvcc program runs unchanged, with the static cudart (nvcc's default) and the shared one.
// RUN: %nvcc -arch=sm_90 %s -o %t.static
// RUN: %gpusched run --device=cpu -- %t.static | FileCheck %s
// RUN: %nvcc -arch=sm_90 -cudart shared %s -o %t.shared
// RUN: %gpusched run --device=cpu -- %t.shared | FileCheck %s
#include "Inputs/Check.h"

#include <vector>

__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

int main() {
  constexpr int kCount = 10000;
  size_t bytes = kCount * sizeof(float);
  std::vector<float> a(kCount), b(kCount), c(kCount);
  for (int i = 0; i < kCount; ++i)
    a[i] = float(i), b[i] = 2.0f * float(i);
  float *deviceA, *deviceB, *deviceC;
  CHECK_OK(cudaMalloc(&deviceA, bytes));
  CHECK_OK(cudaMalloc(&deviceB, bytes));
  CHECK_OK(cudaMalloc(&deviceC, bytes));
  CHECK_OK(cudaMemcpy(deviceA, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK_OK(cudaMemcpy(deviceB, b.data(), bytes, cudaMemcpyHostToDevice));
  add<<<(kCount + 255) / 256, 256>>>(deviceA, deviceB, deviceC, kCount);
  CHECK_OK(cudaGetLastError());
  CHECK_OK(cudaMemcpy(c.data(), deviceC, bytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; ++i)
    CHECK_IS(c[i], 3.0f * float(i));
  CHECK_OK(cudaFree(deviceA));
  std::printf("sum is right\n"); // CHECK: sum is right
}
