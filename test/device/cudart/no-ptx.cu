// A program with machine code only is told to add PTX, and the launch fails as it would without
// code for this GPU.
// RUN: %nvcc -gencode arch=compute_90,code=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t 2>&1 | FileCheck %s
#include <cstdio>

__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  // CHECK: PTX
  // CHECK: {{^}}cudaErrorNoKernelImageForDevice
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
