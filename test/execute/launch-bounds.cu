// __launch_bounds__ in each place it may stand, with one and two arguments and a template value.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void __launch_bounds__(64) before(int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}
__launch_bounds__(64, 4) __global__ void front(int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] += 20;
}
template <int kThreads> __global__ void __launch_bounds__(kThreads) bounded(int* out) {
  out[blockIdx.x * kThreads + threadIdx.x] += 300;
}

int main() {
  int* out = deviceArray<int>(50 * 64);
  before<<<50, 64>>>(out);
  front<<<50, 64>>>(out);
  bounded<64><<<50, 64>>>(out);
  expect<int>("bounds", out, 50 * 64, [](std::size_t) { return 321; });
}
