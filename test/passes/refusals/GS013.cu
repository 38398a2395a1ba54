// A template without an instantiation in the file.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS013]
template <class T> __global__ void k(T a) {}

// Clang rejects the launch that would instantiate it: the remark says where.
// RUN: %gpusched-opt --explain %s -- -DLAUNCHED 2>&1 >%t.out | FileCheck %s --check-prefix=MISSED
// MISSED: [[@LINE+5]]:{{[0-9]+}}: remark: kernel 'missed' kept native: [GS013]
// MISSED-SAME: Clang reports an error at {{.*}}GS013.cu:[[@LINE+7]],
#ifdef LAUNCHED
#define LAUNCH(...) missed<<<__VA_ARGS__>>>(1)

template <class T> __global__ void missed(T) {}

int main() {
  LAUNCH({1, 2}, 32);
}
#endif
