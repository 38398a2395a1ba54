// Definitions under conditions on __CUDA_ARCH__: the host pass sees another text of the kernel, or
// one that an older architecture has, or a header that others skip. Each architecture in turn.
// RUN: rm -rf %t && split-file %s %t && mkdir %t/a %t/b
// RUN: python3 %S/compare.py %t/main.cu -o %t/a --build=%build --nvcc=%nvcc --flags="-DEXPECTED=900 -I%S -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=[sm_90,compute_90]" --outlined=some
// RUN: python3 %S/compare.py %t/main.cu -o %t/b --build=%build --nvcc=%nvcc --flags="-rdc=true -DEXPECTED=750 -I%S -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90" --outlined=some

//--- kernels.cuh
#pragma once
#if __CUDA_ARCH__ >= 120
__device__ int place() { return blockIdx.x * blockDim.x + threadIdx.x; }
namespace {
__global__ void early(int* out, int n) {
  if (place() >= n)
    return;
  __syncthreads();
  out[place()] += 10;
}
} // namespace
template <class T, int kBy> static __global__ void __launch_bounds__(64) scale(T* out) {
  out[place()] *= kBy;
}
#else
namespace {
__global__ void early(int*, int) { ; }
} // namespace
template <class T, int> static __global__ void scale(T*) {}
#endif
//--- newer.cuh
static __global__ void newer(int* out) { out[blockIdx.x] += 7; }
//--- main.cu
#include "Inputs/Expect.h"
#include "kernels.cuh"

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void fill(int* out, int n) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = n;
}
#else
__device__ int half() { return gridDim.x / 2; }
extern "C" __global__ void fill(int* out, int n) {
  if (threadIdx.x == 40)
    return;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = n + (blockIdx.x > half());
}
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#include "newer.cuh"
#endif

__global__ void architecture(int* out) {
#ifdef __CUDA_ARCH__
  *out = __CUDA_ARCH__;
#endif
}

int filled(int index) {
  const int block = index / 64;
  return EXPECTED == 900 ? 3 : index % 64 == 40 ? 0 : 3 + (block > 18);
}

int main() {
  constexpr int n = 37 * 64;
  int* out = deviceArray<int>(n);
  int* reported = deviceArray<int>(1);
  architecture<<<1, 1>>>(reported);
  expect<int>("architecture", reported, 1, [](std::size_t) { return EXPECTED; });
  fill<<<37, 64>>>(out, 3);
  early<<<37, 64>>>(out, n - 5);
  scale<int, 3><<<37, 64>>>(out);
  newer<<<37, 1>>>(out);
  expect<int>("kernels", out, n, [](std::size_t index) {
    return (filled(index) + (index < n - 5 ? 10 : 0)) * 3 + (index < 37 ? 7 : 0);
  });
}
