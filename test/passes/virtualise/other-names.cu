// An object takes its name away from everything else in its text, and so do the built-ins' parameters:
// variables, members, types, bindings, template parameters of that name.
// RUN: %gpusched-opt --explain %s -- -std=c++17 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
namespace n { __device__ int f(int x) { return x + blockIdx.x; } }
struct Functor { int by; __device__ int operator()(int x) const { return by * x; } };
namespace variable {
__device__ const Functor f{9};
// CHECK: kernel 'variable::k' kept native: [GS020] {{.*}} 'f' (blockIdx {{.*}}; whose name means something else as well
__global__ void k(int* a) { *a = n::f(1) + f(2); }
}
namespace type {
struct f { int v; __device__ explicit f(int x) : v(x) {} };
// CHECK: kernel 'type::k' {{.*}}; whose name means something else as well
__global__ void k(int* a) { *a = n::f(1) + f(2).v; }
}
struct Member {
  Functor f;
  __device__ int call() const { return n::f(1) + f(2); }
  __device__ static long g(int);
};
// CHECK: kernel 'member' {{.*}}; whose name means something else as well
__global__ void member(int* a, Member m) { *a = m.call(); }
struct Static {
  __device__ static long f(int);
  __device__ int call() const { return n::f(1) + sizeof(f(2)); }
};
// CHECK: kernel 'unevaluated' {{.*}}; whose name means something else as well
__global__ void unevaluated(int* a, Static s) { *a = s.call(); }
// CHECK: kernel 'binding' {{.*}}; whose name means something else as well
__global__ void binding(int* a, Member m) { auto& [f] = m; *a = n::f(1); }
// CHECK: kernel 'alias' {{.*}}; whose name means something else as well
__global__ void alias(int* a) { using f = unsigned char; *a = n::f(999); }
// CHECK: kernel 'enumerator' {{.*}}; whose name means something else as well
__global__ void enumerator(int* a) { enum { f = 2 }; *a = n::f(1); }
template <class f> struct OfType { __device__ static int call() { return n::f(1) + f(300); } };
// CHECK: kernel 'ofType' {{.*}}; whose name means something else as well
__global__ void ofType(int* a) { *a = OfType<unsigned char>::call(); }
template <int (*f)(int)> struct OfValue { __device__ static int call() { return n::f(1) + f(3); } };
__device__ int twice(int x) { return 2 * x; }
// CHECK: kernel 'ofValue' {{.*}}; whose name means something else as well
__global__ void ofValue(int* a) { *a = OfValue<twice>::call(); }

struct Place {
  uint3 blockIdx;
  __device__ int call() const { return n::f(1) + blockIdx.x; }
};
// CHECK: kernel 'place' kept native: [GS020] {{.*}} 'call' {{.*}}; where a parameter would hide another variable
__global__ void place(int* a, Place p) { *a = p.call(); }
namespace own {
__device__ uint3 gridDim;
// CHECK: kernel 'own::reads' kept native: [GS008] {{.*}}a variable is named gridDim
__global__ void reads(int* a) { *a = gridDim.x + blockIdx.x; }
}
