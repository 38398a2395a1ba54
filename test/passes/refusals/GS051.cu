// Clang reports an error in a callee: nothing is known for sure, nvcc decides.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
__device__ int broken() { return undeclared; }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS051] {{.*}}GS051.cu:4:{{[0-9]+}}
__global__ void k(int* a) { a[blockIdx.x] = broken(); }
