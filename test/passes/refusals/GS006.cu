// Defined outside its namespace: no new name can be declared that way.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
namespace inner { __global__ void k(int* a); }
// CHECK: [[@LINE+1]]:24: remark: kernel 'inner::k' kept native: [GS006]
__global__ void inner::k(int* a) { a[blockIdx.x] = 1; }
