// A trap or a failed assert makes every later call fail, until the device is reset.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t trap 2>&1 | FileCheck %s --check-prefix=TRAP
// RUN: %gpusched run --device=cpu -- %t assert 2>&1 | FileCheck %s --check-prefix=ASSERT
#include "Inputs/Check.h"

#include <cassert>
#include <cstring>

__global__ void stop(bool trap) {
  if (trap)
    __trap();
  assert(threadIdx.x == 100);
}

int main(int, char** arguments) {
  bool trap = std::strcmp(arguments[1], "trap") == 0;
  cudaError_t expected = trap ? cudaErrorLaunchFailure : cudaErrorAssert;
  void* memory;
  stop<<<1, 1>>>(trap);
  CHECK_IS(cudaDeviceSynchronize(), expected);
  CHECK_IS(cudaMalloc(&memory, 4), expected);
  CHECK_IS(cudaGetLastError(), expected);
  CHECK_IS(cudaGetLastError(), expected);
  std::printf("%s\n", cudaGetErrorName(cudaPeekAtLastError()));
  CHECK_OK(cudaDeviceReset());
  CHECK_OK(cudaMalloc(&memory, 4));
  // TRAP: {{^}}cudaErrorLaunchFailure
  // ASSERT: {{^}}cudaErrorAssert
}
