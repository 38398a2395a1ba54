// cudaDeviceReset in the middle of a program; then a kernel that faults: the error is sticky, as native.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
// RUN: %gpusched run --device=cpu -- %t/native > %t/reference
// RUN: %gpusched run --device=cpu --policy=serial --variant=persistent -- %t/gpusched 2>%t/log | diff %t/reference -
#include "Inputs/Expect.h"

__global__ void scale(float* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] = values[i] * 2 + 1;
}

__global__ void trap(int* out) {
  if (blockIdx.x == 3)
    asm volatile("trap;");
  out[blockIdx.x] = 1;
}

int main() {
  for (int round = 0; round < 3; ++round) {
    float* values = deviceArray<float>(5000);
    scale<<<40, 128>>>(values, 5000);
    scale<<<40, 128>>>(values, 5000);
    expect<float>("round", values, 5000, [](std::size_t) { return 3.0f; });
    must(cudaDeviceReset(), "reset");
  }
  int* out = deviceArray<int>(64);
  trap<<<8, 32>>>(out);
  std::printf("synchronize %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  trap<<<8, 32>>>(out);
  std::printf("launch after it %s\n", cudaGetErrorName(cudaPeekAtLastError()));
  std::printf("malloc after it %s\n", cudaGetErrorName(cudaMalloc(&out, 4)));
  std::printf("last %s\n", cudaGetErrorName(cudaGetLastError()));
}
