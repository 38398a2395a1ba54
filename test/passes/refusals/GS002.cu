// A preprocessor directive inside the signature.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
__global__ void
#ifdef NEVER
__launch_bounds__(64)
#endif
// CHECK: GS002.cu:[[@LINE+1]]:1: remark: kernel 'split' kept native: [GS002]
split(int* a) { a[blockIdx.x] = 1; }
