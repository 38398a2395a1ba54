// Shared memory is handed out in units of 128 bytes, and LLVM reads whole vectors of an array that ends within one:
// numba's of seven integers. That is seen by --check=memory, which takes the array at its word.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t 28 112 | grep -x 6
// RUN: not %gpusched run --device=cpu -- %t 28 128
// RUN: not %gpusched run --device=cpu --check=memory -- %t 28 16 2>&1 | FileCheck %s
// CHECK: bytes after the end of the 28 bytes
#include "Inputs/Check.h"

__global__ void read(int* out, unsigned offset) {
  extern __shared__ int array[];
  for (int i = 0; i < 7; ++i)
    array[i] = i;
  unsigned a, b, c, d;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(unsigned(__cvta_generic_to_shared(array)) + offset)
               : "memory");
  *out = offset == 16 ? c : array[6];
}

int main(int, char** arguments) {
  int* out = nullptr;
  CHECK_OK(cudaMallocManaged(&out, sizeof *out));
  read<<<1, 1, std::atoi(arguments[1])>>>(out, std::atoi(arguments[2]));
  CHECK_OK(cudaDeviceSynchronize());
  std::printf("%d\n", *out);
}
