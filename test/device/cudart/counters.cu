// --counters writes a profile with each kernel's counts, by launch shape.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu --counters=%t.json -- %t
// RUN: FileCheck %s < %t.json
#include "Inputs/Check.h"

// CHECK-DAG: "symbol": "_Z4fillPi"
// CHECK-DAG: "launches": 3
// CHECK-DAG: "threads": 192
__global__ void fill(int* to) { to[threadIdx.x] = 1; }

int main() {
  int* memory;
  CHECK_OK(cudaMalloc(&memory, 64 * sizeof(int)));
  for (int i = 0; i < 3; ++i)
    fill<<<1, 64>>>(memory);
  CHECK_OK(cudaDeviceSynchronize());
}
