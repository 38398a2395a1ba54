// Bad addresses have error codes of their own, which every later call repeats.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t wild 2>&1 | FileCheck %s --check-prefix=WILD
// RUN: %gpusched run --device=cpu -- %t misaligned 2>&1 | FileCheck %s --check-prefix=MISALIGNED
// RUN: %gpusched run --device=cpu -- %t shared 2>&1 | FileCheck %s --check-prefix=SHARED
#include "Inputs/Check.h"

#include <cstring>

__global__ void store(char* address) {
  *reinterpret_cast<int*>(address) = 1;
}

__global__ void storeShared(int index) {
  __shared__ volatile int tile[32];
  tile[index] = 1;
}

int main(int, char** arguments) {
  char* memory;
  CHECK_OK(cudaMalloc(&memory, 64));
  if (std::strcmp(arguments[1], "wild") == 0)
    store<<<1, 1>>>(nullptr);
  else if (std::strcmp(arguments[1], "misaligned") == 0)
    store<<<1, 1>>>(memory + 2);
  else
    storeShared<<<1, 1>>>(1 << 20);
  cudaError_t error = cudaDeviceSynchronize();
  CHECK_IS(cudaFree(memory), error);
  std::printf("%s %d\n", cudaGetErrorName(error), int(error));
  // WILD: illegal memory access
  // WILD: cudaErrorIllegalAddress 700
  // MISALIGNED: misaligned address
  // MISALIGNED: cudaErrorMisalignedAddress 716
  // SHARED: outside the block's
  // SHARED: cudaErrorIllegalAddress 700
}
