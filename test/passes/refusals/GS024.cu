// A captureless lambda, a local class, default arguments and initialisers of members in their class
// cannot see the parameters.
// RUN: %gpusched-opt --explain %s -- -std=c++20 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'a' kept native: [GS024]
__global__ void a(int* p) { p[0] = [](int i) { return i * blockIdx.x; }(2); }
__global__ void b(int* p) {
  struct Local { __device__ int index() { return gridDim.x; } };
  p[Local().index()] = 1;
}
// CHECK: remark: kernel 'b' kept native: [GS024]

__device__ int place(int block = blockIdx.x) { return block; }
// CHECK: remark: kernel 'c' kept native: [GS024] {{.*}}: blockIdx
__global__ void c(int* p) { p[0] = place(); }
struct Aggregate { int at = gridDim.x; };
// CHECK: remark: kernel 'd' kept native: [GS024] {{.*}}: gridDim
__global__ void d(int* p) { Aggregate one{}; p[0] = one.at; }
struct Class { int at = blockIdx.x, n; __device__ Class(int n) : n(n) {} };
// CHECK: remark: kernel 'e' kept native: [GS020] {{.*}} calls 'Class' {{.*}}; where a parameter would not be seen
__global__ void e(int* p) { Class one(1); p[0] = one.at; }
struct Base { int at; __device__ Base() : at(blockIdx.x) {} };
struct Derived : Base { int n; };
// CHECK: remark: kernel 'f' kept native: [GS020] {{.*}} calls 'Base' {{.*}}; where a parameter would not be seen or could not be given
__global__ void f(int* p) { Derived one{}; p[0] = one.at; }
// Lambdas whose text is in an operand that is not evaluated, or in a function that nobody calls.
// CHECK: remark: kernel 'g' kept native: [GS024] {{.*}}: blockIdx
__global__ void g(int* p) { using L = decltype([](int i) { return i * blockIdx.x; }); p[L{}(2)] = 0; }
__device__ auto make() { return [](int i) { return i * blockIdx.x; }; }
// CHECK: remark: kernel 'h' kept native: [GS024] {{.*}}: a lambda of a function that is not called
__global__ void h(int* p) { p[decltype(make()){}(2)] = 0; }
