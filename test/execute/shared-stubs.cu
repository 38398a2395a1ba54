// A template kernel of two files that share one host stub, as nvcc made it before CUDA 13: device code and
// variables are of the file whose kernel CUDA took, also where only the other file's has a twin.
// RUN: mkdir -p %t && %nvcc -arch=sm_90 -static-global-template-stub=false -DPART=0 -c %s -o %t/first.o
// RUN: %nvcc -arch=sm_90 -static-global-template-stub=false -DPART=1 -c %s -o %t/second.o
// RUN: %gpusched-cc -arch=sm_90 -static-global-template-stub=false -DPART=1 -c %s -o %t/other.o
// RUN: %nvcc %t/first.o %t/second.o -o %t/native && %nvcc %t/first.o %t/other.o -o %t/mixed
// RUN: %nvcc %t/second.o %t/first.o -o %t/native-turned && %nvcc %t/other.o %t/first.o -o %t/turned
// RUN: %gpusched run --device=cpu -- %t/native > %t/reference
// RUN: %gpusched run --device=cpu -- %t/native-turned > %t/reference-turned
// RUN: %gpusched run --device=cpu --variant=persistent -- %t/mixed | diff %t/reference -
// RUN: %gpusched run --device=cpu --variant=persistent --trace=%t/trace.json -- %t/turned | diff %t/reference-turned -
// RUN: grep -q "another binary's kernel" %t/trace.json && grep -q '"variant": "persistent"' %t/trace.json
#include <cstdio>
#include <cuda_runtime.h>

template <int kStep> __device__ int counted = 0;

template <int kStep> __global__ void count() {
  if (threadIdx.x == 0)
    atomicAdd(&counted<kStep>, kStep * blockIdx.x);
}
static __global__ void show(int part) {
  if (blockIdx.x == 0)
    printf("part %d: %d\n", part, counted<3>);
}

#if PART == 0
void second();

int main() {
  count<3><<<20, 32>>>();
  second();
  show<<<2, 1>>>(PART);
  return cudaDeviceSynchronize();
}
#else
void second() {
  count<3><<<20, 32>>>();
  show<<<2, 1>>>(PART);
}
#endif
