// A program may exit with work queued: what kernels printed is still shown, and nothing hangs.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t | FileCheck %s
#include <cstdio>

__global__ void greet() { printf("hello from %d\n", threadIdx.x); }

int main() {
  greet<<<1, 2>>>();
  // CHECK: hello from 0
  // CHECK: hello from 1
}
