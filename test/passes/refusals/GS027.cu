// A kernel that launches another.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
__global__ void child(int* a);
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'parent' kept native: [GS027]
__global__ void parent(int* a) { child<<<1, 1>>>(a); }
