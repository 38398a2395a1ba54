// A launch that cannot run is refused where it is made, and nothing else is disturbed.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu --gpu=h200 -- %t
#include "Inputs/Check.h"

__global__ void nothing() {}
__global__ void __launch_bounds__(64) small() {}
__global__ void dynamic() { extern __shared__ int words[]; words[threadIdx.x] = 0; }

int main() {
  nothing<<<1, 1025>>>();
  CHECK_IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
  nothing<<<dim3(1, 65536), 1>>>();
  CHECK_IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
  nothing<<<0, 1>>>();
  CHECK_IS(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  CHECK_IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
  small<<<1, 65>>>(); // numba's own tests say so of GPUs
  CHECK_IS(cudaGetLastError(), cudaErrorInvalidValue);
  dynamic<<<1, 1, 49153>>>();
  CHECK_IS(cudaGetLastError(), cudaErrorInvalidValue);

  CHECK_OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  dynamic<<<1, 1, 100000>>>();
  CHECK_OK(cudaGetLastError());
  CHECK_IS(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000),
           cudaErrorInvalidValue);
  CHECK_IS(cudaGetLastError(), cudaErrorInvalidValue);
  CHECK_IS(cudaLaunchKernel((const void*)main, 1, 1, nullptr, 0, nullptr),
           cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
  void* none[1];
  CHECK_IS(cudaLaunchCooperativeKernel((const void*)nothing, 1000000, 1, none, 0, 0),
           cudaErrorCooperativeLaunchTooLarge);
  CHECK_OK(cudaLaunchCooperativeKernel((const void*)nothing, 132, 32, none, 0, 0));
  CHECK_OK(cudaDeviceSynchronize());
}
