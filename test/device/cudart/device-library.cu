// The barrier of a grid as libcudadevrt.a has it, in PTX that is loaded without that library.
// RUN: %nvcc -arch=sm_90 -rdc=true -ptx -DDEVICE %s -o %t.ptx
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t %t.ptx
// RUN: %gpusched run --device=cpu --schedule=3 -- %t %t.ptx
#ifdef DEVICE
/// Each round every block adds to the sum, and all see what all have added.
extern "C" __global__ void rounds(unsigned* sum, unsigned* wrong) {
  const unsigned blocks = gridDim.x * gridDim.y;
  const unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
  for (unsigned round = 1; round <= 5; ++round) {
    if (threadIdx.x == 40 && threadIdx.y == 1)
      atomicAdd(sum, 1);
    cudaError_t error = cudaCGSynchronize(grid, 0);
    if (error != cudaSuccess || *(volatile unsigned*)sum != round * blocks)
      atomicAdd(wrong, 1);
    cudaCGSynchronize(grid, 0);
  }
}
#else
#include "Inputs/Driver.h"

int main(int, char** arguments) {
  CUdeviceptr sum = openFirstDevice(8), wrong = sum + 4;
  CUmodule module;
  CUfunction rounds;
  CHECK_CU(cuModuleLoad, &module, arguments[1]);
  CHECK_CU(cuModuleGetFunction, &rounds, module, "rounds");
  CHECK_CU(cuMemsetD32, sum, 0, 2);
  void* parameters[] = {&sum, &wrong};
  CHECK_CU(cuLaunchCooperativeKernel, rounds, 7, 3, 1, 64, 2, 1, 0, nullptr, parameters);
  unsigned seen[2];
  CHECK_CU(cuMemcpyDtoH, seen, sum, 8);
  CHECK_IS(seen[0], 5 * 21u);
  CHECK_IS(seen[1], 0u);
}
#endif
