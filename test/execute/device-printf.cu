// printf from the device: every logical block prints once, in any order.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --sort
#include "Inputs/Expect.h"

__global__ void announce(int scale) {
  if (threadIdx.x == 3)
    printf("block %d,%d of %d: %s %.2f\n", blockIdx.x, blockIdx.y, gridDim.x * gridDim.y, "value",
           scale * 0.25 * blockIdx.x);
}

int main() {
  announce<<<dim3(6, 4), 8>>>(3);
  must(cudaDeviceSynchronize(), "run");
  std::printf("done\n");
}
