// The host pass would not see the variants of a kernel under #if __CUDA_ARCH__.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
// CHECK: [[@LINE+1]]:17: remark: kernel 'k' kept native: [GS007]
__global__ void k(int* a) { a[blockIdx.x] = 1; }
#endif
