// Conditions inside the signatures of kernels and of device functions that read blockIdx.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

#define WITH_SCALE 1

__device__ int place(int at
#if WITH_SCALE
                     ,
                     int by
#endif
) {
  return blockIdx.x * by + at;
}

__global__ void
#if !WITH_SCALE
__launch_bounds__(32)
#endif
fill(int* out,
#if WITH_SCALE
     int scale,
#else
     float scale, float other,
#endif
     int n) {
  const int index = place(threadIdx.x, blockDim.x);
  if (index < n)
    out[index] = index * scale;
}

__global__
#if __CUDA_ARCH__ >= 500
__launch_bounds__(64, 2)
#else
__launch_bounds__(32)
#endif
void bounded(int* out, int n) {
  const int index = place(threadIdx.x, 64);
  if (index < n)
    out[index] += index;
}

int main() {
  constexpr int n = 37 * 64 - 5;
  int* out = deviceArray<int>(n);
  fill<<<37, 64>>>(out, 3, n);
  expect<int>("fill", out, n, [](std::size_t index) { return static_cast<int>(index) * 3; });
  bounded<<<37, 64>>>(out, n);
  expect<int>("bounded", out, n, [](std::size_t index) { return static_cast<int>(index) * 4; });
}
