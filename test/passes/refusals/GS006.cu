// Defined outside its namespace, where a macro makes the qualified name.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
namespace inner { __global__ void k(int* a); }
#define IN inner::
// CHECK: [[@LINE+1]]:20: remark: kernel 'inner::k' kept native: [GS006]
__global__ void IN k(int* a) { a[blockIdx.x] = 1; }
