// The parse is told the version of the toolkit that compiles: callees are those of its branch.
// RUN: mkdir -p %t/bin %t/include && ln -sf %cuda/include/* %t/include/ && rm %t/include/cuda.h
// RUN: sed 's/^#define CUDA_VERSION .*/#define CUDA_VERSION 12040/' %cuda/include/cuda.h > %t/include/cuda.h
// RUN: %gpusched-opt --cuda=%t %s | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt --cuda=%cuda %s | grep -v '^ *// ' | FileCheck %s --check-prefix=OTHER
// RUN: %gpusched-opt %s | %reparse

// CHECK: struct {{.*}}place
// OTHER-NOT: struct
// OTHER: out[place()] = 1; } __global__ void store(
// OTHER-NOT: struct
#if __CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ == 4
__device__ int place() { return blockIdx.x; }
#else
__device__ int place() { return 0; }
#endif

__global__ void store(int* out) { out[place()] = 1; }
