// One kernel, called with classes and lambdas that read the built-ins, that wait, that do neither,
// and with lambdas that cannot be told: these, and what they are called by, stay what they were.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags=--extended-lambda --outlined=some
#include "Inputs/Expect.h"

template <class Function> __device__ void through(Function function, int index) { function(index); }
template <class Function> __global__ void each(Function function, int count) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count)
    function(index);
}
template <class Function> __global__ void deep(Function function, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    through(function, i);
}

struct Rows {
  int* out;
  __device__ void operator()(int index) const { out[index] += 10 * blockIdx.x; }
};
struct Both {
  int* out;
  __host__ __device__ void operator()(int index) const { out[index] += index; }
};
template <class T> struct Columns {
  T* out;
  template <class Index> __device__ T operator()(Index index) { return out[index] += gridDim.x; }
};

int main() {
  int* out = deviceArray<int>(256);
  each<<<4, 64>>>([=] __device__(int index) { out[index] += blockIdx.x; }, 256);
  each<<<4, 64>>>([=] __host__ __device__(int index) { out[index] += 3; }, 200);
  each<<<4, 64>>>(Rows{out}, 256);
  each<<<4, 64>>>(Both{out}, 256);
  each<<<4, 64>>>(Columns<int>{out}, 256);
  each<<<4, 64>>>(
      [=] __device__(int index) {
        if (index & 1)
          return;
        __syncthreads();
        out[index] += 100;
      },
      256);
  expect<int>("each", out, 256, [](std::size_t index) {
    const int i = index;
    return i / 64 * 11 + (i < 200 ? 3 : 0) + i + 4 + (i & 1 ? 0 : 100);
  });
  int* deeper = deviceArray<int>(256);
  deep<<<3, 64>>>([=] __device__(int index) { deeper[index] += blockIdx.x; }, 256);
  deep<<<3, 64>>>([=] __host__ __device__(int index) { deeper[index] += 5; }, 100);
  deep<<<3, 64>>>(Rows{deeper}, 150);
  expect<int>("deep", deeper, 256, [](std::size_t index) {
    const int i = index, block = i / 64 % 3;
    return block + (i < 100 ? 5 : 0) + (i < 150 ? 10 * block : 0);
  });
}
