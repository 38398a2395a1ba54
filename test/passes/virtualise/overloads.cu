// Overloads become objects one by one. A text in which the name means one of them gets that one, and one
// in which it means several gets one object that stands for them.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: grep -v '^ *// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
// OUT: struct at__gs_call {
__device__ int at(int n) { return blockIdx.x * n; }
// OUT: struct at__gs2_call {
template <class T> __device__ T at(T* a, int n) { return a[blockIdx.x * n]; }
// OUT: struct at__gs3_call { const ::uint3 blockIdx; const ::dim3 gridDim; __device__ float operator()(float x) const { return x / 2; } };
__device__ float at(float x) { return x / 2; }
#define HALF(x) at(x)
// OUT: void first__gs_body({{.*}}const ::at__gs_call at, int* a)
__global__ void first(int* a) { a[at(2)] = 0; }
// OUT: void second__gs_body({{.*}}const ::at__gs2_call at, int* a)
__global__ void second(int* a) { a[0] = at(a, 1); }
// OUT: void plain__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, float* a)
__global__ void plain(float* a) { a[0] = at(1.0f); }
// OUT: void both__gs_body({{.*}}const ::gpusched::Overloads<::at__gs_call, ::at__gs2_call> at, int* a) { a[at(2)] = at.template operator()<int>(a, 1); }
// OUT: both__gs_body(gpusched_worker.block(), gpusched_worker.grid(), ::gpusched::Overloads<::at__gs_call, ::at__gs2_call>(::at__gs_call{gpusched_worker.block(), gpusched_worker.grid()}, ::at__gs2_call{gpusched_worker.block(), gpusched_worker.grid()}), a)
__global__ void both(int* a) { a[at(2)] = at<int>(a, 1); }
// One that reads nothing of the block is an object beside one that does.
// OUT: void beside__gs_body({{.*}}const ::gpusched::Overloads<::at__gs3_call, ::at__gs_call> at, float* a) { a[0] = HALF(1.0f) + at(2); }
__global__ void beside(float* a) { a[0] = HALF(1.0f) + at(2); }
// OUT: void each__gs_body({{.*}}const ::gpusched::Overloads<::at__gs_call, ::at__gs3_call> at, T* a)
template <class T> __global__ void each(T* a) { a[0] = at(T(3)); }
template __global__ void each<int>(int*);
template __global__ void each<float>(float*);
// OUT: struct pair__gs_call { {{.*}}::gpusched::Overloads<::at__gs_call, ::at__gs3_call> at; __device__ float operator()(float x) const { return at(1) + at(x); } };
__device__ float pair(float x) { return at(1) + at(x); }
struct Sum {
  // OUT: __device__ float of__gs({{.*}}) const { const ::gpusched::Overloads<::at__gs_call, ::at__gs3_call> at = ::gpusched::Overloads<::at__gs_call, ::at__gs3_call>(::at__gs_call{blockIdx, gridDim}, ::at__gs3_call{blockIdx, gridDim}); return at(1) + at(x); }
  __device__ float of(float x) const { return at(1) + at(x); }
};
__global__ void below(float* a) { a[0] = pair(1) + Sum().of(2); }
// In a member too, if all its instantiations mean the same one.
template <class T> struct Box {
  T value;
  // OUT: __device__ T get__gs(const ::uint3 blockIdx, const ::dim3 gridDim) const { const ::at__gs_call at = ::at__gs_call{blockIdx, gridDim}; return at(value); }
  __device__ T get() const { return at(value); }
};
__global__ void inMember(int* a) { a[0] = Box<int>{3}.get(); }
template <class T> struct Outer {
  struct Inner { T value; __device__ T get() const { return at(value); } };
};
// CHECK: kernel 'inNested' {{.*}} calls 'at' {{.*}}; which is overloaded, in a member of a nested class template
__global__ void inNested(int* a) { a[0] = Outer<int>::Inner{3}.get(); }
// A member of that name is found in its class only.
struct Spot {
  int x;
  __device__ int at(int n) const { return x + n; }
  __device__ int inside(int n) const { return at(n) + ::at(n); }
};
// OUT: void outside__gs_body({{.*}}const ::at__gs_call at, int* a) { a[at(2)] = Spot{1}.at(3); }
__global__ void outside(int* a) { a[at(2)] = Spot{1}.at(3); }
// CHECK: kernel 'inside' {{.*}} calls 'at' {{.*}}; whose name means something else as well
__global__ void inside(int* a) { a[0] = Spot{1}.inside(3); }
// So is one that the class shares. Another class has no use for either.
struct Shared {
  static __device__ int at(short n) { return n; }
  __device__ int inside(int n) const { return at(short(n)) + ::at(n); }
};
struct Other {
  // OUT: { const ::at__gs_call at = {{.*}}; return Spot{n}.at(3) + at(n); }
  __device__ int apart(int n) const { return Spot{n}.at(3) + at(n); }
};
// CHECK: kernel 'insideShared' {{.*}} calls 'at' {{.*}}; whose name means something else as well
__global__ void insideShared(int* a) { a[0] = Shared().inside(3); }
__global__ void fromOther(int* a) { a[0] = Other().apart(3); }
// Two scopes.
namespace other { __device__ int at(short n) { return gridDim.x + n; } }
// CHECK: kernel 'scopes' {{.*}} calls 'at' {{.*}}; whose name means another function as well
__global__ void scopes(int* a) { a[at(2)] = other::at(short(1)); }
// An object is no constant.
__device__ int size(int n) { return gridDim.x * n; }
__device__ constexpr int size(float) { return 4; }
// CHECK: kernel 'constant' {{.*}} calls 'size', which reads it in other instantiations or overloads; which is constexpr
__global__ void constant(int* a) { a[size(1)] = size(1.0f); }
// CHECK: kernel 'bound' {{.*}} calls 'size' {{.*}}; and means another function in other instantiations
__global__ void bound(int* a) { int s[size(1.0f)] = {}; a[size(1)] = s[0]; }
// The object would give `v` another type.
// CHECK: kernel 'type' {{.*}} calls 'at' (blockIdx {{.*}}; and means another function in other instantiations
__global__ void type(float* a) { decltype(at(1.0f)) v = 2.5f; a[at(2)] = v; }
// CHECK-NOT: kept native
