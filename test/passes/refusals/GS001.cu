// The kernel is the expansion of a macro: there is no text to move.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#define KERNEL(name) __global__ void name(int* a) { a[blockIdx.x] = 1; }
// CHECK: GS001.cu:[[@LINE+1]]:1: remark: kernel 'made' kept native: [GS001]
KERNEL(made)
