// A lambda as template argument, where the twin has to be declared before the body: the default argument
// that it must not repeat comes with its `=` from a macro.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#define DEFAULT = 1
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'a' kept native: [GS012] {{.*}}a lambda
template <class T, int N DEFAULT> __global__ void a(T f) { f(N); }
int main() {
  a<<<1, 1>>>([] __device__(int) {});
}
