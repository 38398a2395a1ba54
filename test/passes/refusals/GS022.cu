// A function pointer and a virtual function.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
struct Base { __device__ virtual int get() { return 1; } };
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'a' kept native: [GS022] {{.*}}a function pointer
__global__ void a(int* p, int (*f)(int)) { p[blockIdx.x] = f(1); }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'b' kept native: [GS022] {{.*}}virtual function Base::get
__global__ void b(int* p, Base* base) { p[blockIdx.x] = base->get(); }
