// A kernel's attributes say what its PTX was made for, as libraries ask that choose their tiles by it (CUB): what the
// device's own code would be says nothing about it.
// RUN: %nvcc -gencode arch=compute_80,code=compute_80 %s -o %t.80 && %gpusched run --device=cpu -- %t.80 | grep -x "80 80 90"
// RUN: %nvcc -gencode arch=compute_90a,code=compute_90a %s -o %t.90 && %gpusched run --device=cpu -- %t.90 | grep -x "90 90 90"
// RUN: %nvcc -gencode arch=compute_100,code=compute_100 %s -o %t.100
// RUN: %gpusched run --device=cpu -- %t.100 | grep -x "100 100 90"
// RUN: %nvcc -rdc=true -gencode arch=compute_80,code=compute_80 %s -o %t.r && %gpusched run --device=cpu -- %t.r | grep -x "80 80 90"
#include "Inputs/Check.h"

__global__ void architecture(int* value) {
#ifdef __CUDA_ARCH__
  *value = __CUDA_ARCH__ / 10;
#endif
}

int main() {
  int* value = nullptr;
  CHECK_OK(cudaMallocManaged(&value, sizeof *value));
  architecture<<<1, 1>>>(value);
  CHECK_OK(cudaDeviceSynchronize());
  cudaFuncAttributes attributes;
  CHECK_OK(cudaFuncGetAttributes(&attributes, architecture));
  std::printf("%d %d %d\n", *value, attributes.ptxVersion, attributes.binaryVersion);
}
