// Overloads become objects one by one: a text in which the name means one of them gets that one.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
// OUT: struct at__gs_call {
__device__ int at(int n) { return blockIdx.x * n; }
// OUT: struct at__gs2_call {
template <class T> __device__ T at(T* a, int n) { return a[blockIdx.x * n]; }
__device__ float at(float x) { return x / 2; }
// OUT: void first__gs_body({{.*}}const ::at__gs_call at, int* a)
__global__ void first(int* a) { a[at(2)] = 0; }
// OUT: void second__gs_body({{.*}}const ::at__gs2_call at, int* a)
__global__ void second(int* a) { a[0] = at(a, 1); }
// OUT: void plain__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, float* a)
__global__ void plain(float* a) { a[0] = at(1.0f); }
// CHECK: kernel 'both' {{.*}} calls 'at' {{.*}}; whose name means another function as well
__global__ void both(int* a) { a[at(2)] = at(a, 1); }
// CHECK: kernel 'each' {{.*}}[GS020] {{.*}} calls 'at' (blockIdx {{.*}}; and means another function in other instantiations, which cannot be told as well
template <class T> __global__ void each(T* a) { a[0] = at(T(3)); }
template __global__ void each<int>(int*);
template __global__ void each<float>(float*);
template <class T> __device__ T through(T n) { return at(n) + at(n); }
// CHECK: kernel 'below' {{.*}}[GS020] {{.*}} calls 'at' (blockIdx {{.*}}; and means another function in other instantiations
__global__ void below(int* a) { a[0] = through(1) + int(through(1.0f)); }
// In a member too, if all its instantiations mean the same one.
template <class T> struct Box {
  T value;
  // OUT: __device__ T get__gs(const ::uint3 blockIdx, const ::dim3 gridDim) const { const ::at__gs_call at = ::at__gs_call{blockIdx, gridDim}; return at(value); }
  __device__ T get() const { return at(value); }
};
__global__ void inMember(int* a) { a[0] = Box<int>{3}.get(); }
template <class T> struct Case {
  T value;
  template <int N> __device__ T get() const { return at(value) * N; }
};
// CHECK: kernel 'inMembers' {{.*}} calls 'at' (blockIdx {{.*}}; and means another function in other instantiations
__global__ void inMembers(int* a) { a[0] = Case<int>{3}.get<2>(); }
__global__ void elsewhere(float* a) { a[0] = Case<float>{3}.get<2>(); }
template <class T> struct Outer {
  struct Inner { T value; __device__ T get() const { return at(value); } };
};
// CHECK: kernel 'inNested' {{.*}} calls 'at' {{.*}}; which is overloaded, in a member of a nested class template
__global__ void inNested(int* a) { a[0] = Outer<int>::Inner{3}.get(); }
