// New memory holds one byte value throughout, 0 or GPUSCHED_FILL, also where memory is used again.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t 0
// RUN: env GPUSCHED_FILL=165 %gpusched run --device=cpu -- %t 165
// RUN: env GPUSCHED_FILL=256 %gpusched run --device=cpu -- %t 0 2>&1 | FileCheck %s
// CHECK: GPUSCHED_FILL
#include "Inputs/Check.h"

__global__ void countOther(const unsigned char* bytes, size_t count, int fill, int* others) {
  for (size_t i = threadIdx.x; i < count; i += blockDim.x)
    if (bytes[i] != fill)
      atomicAdd(others, 1);
}

int main(int, char** arguments) {
  int fill = std::atoi(arguments[1]), *others;
  CHECK_OK(cudaMallocManaged(&others, sizeof(int)));
  for (size_t bytes : {size_t(1000), size_t(1000), size_t(2) << 20, size_t(2) << 20}) {
    unsigned char* memory;
    CHECK_OK(cudaMalloc(&memory, bytes));
    *others = 0;
    countOther<<<1, 1024>>>(memory, bytes, fill, others);
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_IS(*others, 0);
    CHECK_OK(cudaMemset(memory, 0x3C, bytes));
    CHECK_OK(cudaFree(memory));
  }
}
