// A function of another file.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
__device__ int elsewhere(int);
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS021] {{.*}}'elsewhere', declared at {{.*}}GS021.cu:4:16 and defined in another file
__global__ void k(int* a) { a[blockIdx.x] = elsewhere(1); }
