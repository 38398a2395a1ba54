// A template without an instantiation in the file.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS013]
template <class T> __global__ void k(T a) {}
