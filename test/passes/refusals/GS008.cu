// A variable or a template parameter that is named like a built-in, and a parameter declared auto.
// RUN: %gpusched-opt --explain %s -- -std=c++20 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
// CHECK: [[@LINE+1]]:17: remark: kernel 'k' kept native: [GS008] {{.*}}a variable is named gridDim
__global__ void k(int* a, int gridDim) { a[blockIdx.x] = gridDim; }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 't' kept native: [GS008] {{.*}}a variable is named blockIdx
template <int blockIdx> __global__ void t(int* a) { a[threadIdx.x] = blockIdx; }
template __global__ void t<2>(int*);
// CHECK: [[@LINE+1]]:17: remark: kernel 'u' kept native: [GS008] {{.*}}a parameter is declared auto
__global__ void u(auto* a) { a[blockIdx.x] = 1; }
template __global__ void u(int*);
