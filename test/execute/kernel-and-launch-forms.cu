// Forms of kernels and launches that real programs have, one after the other in one program:
// bounds, __maxnreg__, __grid_constant__, restrict, several, aligned and templated extern shared
// arrays, __managed__, inline PTX, assert, malloc and new, group tiles, host variables named like the
// built-ins, split chevrons, conditional and comma launches.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

#include <cassert>
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

struct Scale {
  int factor[4];
};
__device__ __managed__ int managed = 5;

__global__ void __maxnreg__(64) limited(int* __restrict__ out, const __grid_constant__ Scale scale) {
  assert(out != nullptr);
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  out[blockIdx.x * blockDim.x + threadIdx.x] = scale.factor[blockIdx.x % 4] + managed + lane;
}

extern __shared__ __align__(16) unsigned char raw[];
template <class T> __device__ T* dynamic() { return reinterpret_cast<T*>(raw); }
template <class T> __global__ void __launch_bounds__(64, 2) reversed(T* out) {
  T* values = dynamic<T>();
  __shared__ T offset;
  if (threadIdx.x == 0)
    offset = blockIdx.x;
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = values[blockDim.x - 1 - threadIdx.x] + offset;
}

__global__ void heap(int* out) {
  int* const one = static_cast<int*>(malloc(sizeof(int)));
  int* const two = new int[2];
  *one = blockIdx.x;
  two[1] = 2;
  out[blockIdx.x * blockDim.x + threadIdx.x] = *one + two[1];
  delete[] two;
  free(one);
}

__global__ void tiles(int* out) {
  namespace cg = cooperative_groups;
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  const int sum = cg::reduce(tile, static_cast<int>(threadIdx.x), cg::plus<int>());
  block.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + blockIdx.x;
}

int main() {
  const dim3 gridDim(30), blockDim(64);
  const int count = 30 * 64;
  Scale scale{{1, 2, 3, 4}};
  int* out = deviceArray<int>(count);
  limited << < gridDim, blockDim >> > (out, scale);
  expect<int>("limited", out, count, [](std::size_t i) {
    return static_cast<int>(i / 64 % 4 + 1 + 5 + i % 32);
  });
  double* reals = deviceArray<double>(count);
  count > 0 ? reversed<<<gridDim, blockDim, 64 * sizeof(int)>>>(out)
            : reversed<<<gridDim, blockDim, 64>>>(out);
  reversed<<<gridDim, blockDim, 64 * sizeof(double)>>>(reals), managed = 6;
  expect<int>("int", out, count, [](std::size_t i) {
    return static_cast<int>(63 - i % 64 + i / 64);
  });
  expect<double>("double", reals, count, [](std::size_t i) { return 63.0 - i % 64 + i / 64; });
  heap<<<gridDim, blockDim>>>(out);
  expect<int>("heap", out, count, [](std::size_t i) { return static_cast<int>(i / 64 + 2); });
  tiles<<<gridDim, blockDim>>>(out);
  expect<int>("tiles", out, count, [](std::size_t i) {
    const int first = static_cast<int>(i % 64 / 16 * 16);
    return 16 * first + 120 + static_cast<int>(i / 64);
  });
}
