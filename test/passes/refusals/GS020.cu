// A function of a library that comes with a compiler (there is a folder c++) reads the index.
// RUN: rm -rf %t.lib && mkdir -p %t.lib/c++ && cp %S/../Inputs/library/LibraryKernel.cuh %t.lib
// RUN: %gpusched-opt --explain %s -- -isystem %t.lib 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#include <LibraryKernel.cuh>
// CHECK: GS020.cu:[[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS020] {{.*}}: calls 'libraryIndex' (blockIdx at {{.*}}LibraryKernel.cuh:4:{{[0-9]+}}); whose file cannot be rewritten
__global__ void k(int* a) { a[libraryIndex()] = 1; }
