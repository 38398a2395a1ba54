// A stripped program with a static cudart cannot be redirected; the message says how to relink.
// RUN: %nvcc -arch=sm_90 %s -o %t && strip %t
// RUN: not %gpusched run --device=cpu -- %t 2>&1 | FileCheck %s
// RUN: %nvcc -arch=sm_90 -cudart shared %s -o %t && strip %t
// RUN: %gpusched run --device=cpu -- %t
// CHECK: symbols were stripped; relink it with -cudart shared
__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
