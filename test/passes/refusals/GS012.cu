// A lambda as template argument, where the twin cannot be declared before the body: the template
// has a default argument, or a parameter without a name.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'a' kept native: [GS012] {{.*}}a lambda
template <class T, int N = 1> __global__ void a(T f) { f(N); }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'b' kept native: [GS012] {{.*}}a lambda
template <class, class T> __global__ void b(T f) { f(1); }
int main() {
  a<<<1, 1>>>([] __device__(int) {});
  b<int><<<1, 1>>>([] __device__(int) {});
}
