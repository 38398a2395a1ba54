// No room for another parameter.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
struct Full { char bytes[32760]; };
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS011] {{.*}}32760 bytes
__global__ void k(Full full) {}
