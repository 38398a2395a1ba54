// Kernels defined through a qualified name, and explicit specialisations beside their template.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

namespace outer {
namespace inner {
__global__ void fill(int* out);
}
template <class T> static __global__ void mark(T* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] += blockIdx.x;
}
template <> __global__ void mark<double>(double* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = 0.5 * blockIdx.x;
}
} // namespace outer

__global__ void outer::inner::fill(int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

int main() {
  int* numbers = deviceArray<int>(640);
  outer::inner::fill<<<20, 32>>>(numbers);
  outer::mark<<<20, 32>>>(numbers);
  expect<int>("numbers", numbers, 640,
              [](std::size_t i) { return static_cast<int>(i % 32 + i / 32); });
  double* halves = deviceArray<double>(640);
  outer::mark<<<20, 32>>>(halves);
  expect<double>("halves", halves, 640, [](std::size_t i) { return 0.5 * (i / 32); });
}
