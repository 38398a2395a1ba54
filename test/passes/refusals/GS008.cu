// A variable that is named like a built-in.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
// CHECK: [[@LINE+1]]:17: remark: kernel 'k' kept native: [GS008] {{.*}}a variable is named gridDim
__global__ void k(int* a, int gridDim) { a[blockIdx.x] = gridDim; }
