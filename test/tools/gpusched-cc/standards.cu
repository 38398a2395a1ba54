// Every C++ standard that nvcc compiles kernels in: the rewritten file is what gets compiled, also
// where lanes leave before a warp primitive and the device headers are read.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %gpusched-cc --gpusched-strict -std=c++11 %s -o %t/11 2>&1 | count 0
// RUN: %gpusched-cc --gpusched-strict -std=c++14 %s -o %t/14 2>&1 | count 0
// RUN: %gpusched-cc --gpusched-strict -std=c++17 %s -o %t/17 2>&1 | count 0
// RUN: %gpusched-cc --gpusched-strict -std=c++20 %s -o %t/20 2>&1 | count 0
// RUN: %gpusched run --device=cpu --variant=persistent --trace=%t/trace %t/11 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TRACE < %t/trace
// CHECK: 496
// TRACE: persistent
#include <cstdio>

__global__ void sums(int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  int sum = i;
  for (int by = 16; by > 0; by /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, by);
  if (i == 0)
    *out = sum;
}

int main() {
  int* out = nullptr;
  cudaMallocManaged(&out, sizeof(int));
  sums<<<2, 32>>>(out, 40);
  cudaDeviceSynchronize();
  std::printf("%d\n", *out);
}
