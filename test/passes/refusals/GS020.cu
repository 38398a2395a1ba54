// A function of a library reads the index.
// RUN: %gpusched-opt --explain %s -- -isystem %S/../Inputs/library 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#include <LibraryKernel.cuh>
// CHECK: GS020.cu:[[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS020] {{.*}}: calls 'libraryIndex' (blockIdx at {{.*}}LibraryKernel.cuh:4:{{[0-9]+}}); whose file cannot be rewritten
__global__ void k(int* a) { a[libraryIndex()] = 1; }
