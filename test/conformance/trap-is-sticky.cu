// A trap ends the kernel with an error that every later call reports too.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

__global__ void stop(int at) {
  if (blockIdx.x * blockDim.x + threadIdx.x == at)
    __trap();
}

int main() {
  stop<<<4, 32>>>(1000);
  must(cudaDeviceSynchronize(), "no trap");
  stop<<<4, 32>>>(70);
  const cudaError_t first = cudaDeviceSynchronize();
  void* memory = nullptr;
  const cudaError_t second = cudaMalloc(&memory, 16);
  std::printf("%s, %s\n", cudaGetErrorName(first), cudaGetErrorName(second));
  return first != cudaSuccess && second == first ? 0 : 1;
}
