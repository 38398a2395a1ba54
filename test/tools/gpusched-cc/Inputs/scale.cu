// scale.cu - one kernel, one launch, one header beside it; prints what the launch gave.
#include "factor.h"
#include <cstdio>

__global__ void scale(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] *= FACTOR;
}

int main() {
  float* data = nullptr;
  cudaMalloc(&data, 256 * sizeof(float));
  scale<<<2, 128>>>(data, 256);
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
