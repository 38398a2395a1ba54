// A type without a name as the only template argument.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS012] {{.*}}an unnamed type
template <class T> __global__ void k(T a) {}
struct { int x; } nameless;
int main() { k<<<1, 1>>>(nameless); }
