// All of <cmath>, of which lit.cfg.py keeps a part from the other tests: what the host computes with
// it is what kernels compute.
// RUN: env -u NVCC_PREPEND_FLAGS python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-std=c++17"
#include "Inputs/Expect.h"

#include <cmath>

constexpr int kCount = 300, kThreads = 64;

__global__ void bessel(double* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount)
    values[i] = rint(1e6 * cyl_bessel_i0(i * 0.01));
}

int main() {
  double* values = deviceArray<double>(kCount);
  bessel<<<(kCount + kThreads - 1) / kThreads, kThreads>>>(values);
  expect("bessel", values, kCount,
         [](int i) { return std::rint(1e6 * std::cyl_bessel_i(0, i * 0.01)); });
}
