// A function of a header reads the index.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#include "../Inputs/index.cuh"
// CHECK: GS020.cu:[[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS020] {{.*}}: calls 'headerIndex' (blockIdx at {{.*}}index.cuh:3:{{[0-9]+}}); which is not in this file
__global__ void k(int* a) { a[headerIndex()] = 1; }
