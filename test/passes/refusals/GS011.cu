// No room for another parameter; `most` has just enough, so nvcc takes its twin.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: %gpusched-cc --gpusched-strict -arch=sm_90 -c %s -o %t.o
struct Full { char bytes[32677]; };
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'full' kept native: [GS011] {{.*}}32677 bytes
__global__ void full(Full parameter) {}
struct Most { char bytes[32676]; };
// CHECK-NOT: 'most' kept native
__global__ void most(Most parameter) {}
