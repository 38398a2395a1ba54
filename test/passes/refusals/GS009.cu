// The body mentions the kernel, which would be declared after it.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS009]
__global__ void k(void** a) { *a = (void*)k; }
