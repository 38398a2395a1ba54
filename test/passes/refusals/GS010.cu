// A parameter that a macro names, of a class whose copies run a function.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
struct Host {
  int value;
  Host(const Host& other) : value(other.value) {}
};
#define HOST Host host
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS010] {{.*}}'host'
__global__ void k(int* a, HOST) { a[blockIdx.x] = host.value; }
