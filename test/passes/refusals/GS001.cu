// Kernels made by macros that cannot be written out: there is no text to move.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
// The other definition may be the host's.
#ifdef __CUDA_ARCH__
#define KERNEL(name) __global__ void name(int* a) { a[blockIdx.x] = 1; }
#else
#define KERNEL(name) __global__ void name(int* a) { a[blockIdx.x] = 2; }
#endif
// CHECK: GS001.cu:[[@LINE+1]]:1: remark: kernel 'twice' kept native: [GS001]
KERNEL(twice)

#undef KERNEL
#define KERNEL(name) __global__ void name(int* a) { a[blockIdx.x] = 3; }
// CHECK: GS001.cu:[[@LINE+1]]:1: remark: kernel 'later' kept native: [GS001]
KERNEL(later)
