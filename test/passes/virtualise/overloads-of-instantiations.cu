// A text whose instantiations mean one overload each has an object for all of them.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --check-prefix=TOLD --allow-empty
// RUN: grep -v '^ *// ' %t.out | FileCheck %s
// RUN: %reparse %t.out
__device__ int at(int n) { return blockIdx.x * n; }
__device__ float at(float x) { return x / 2; }
// One instantiation means the first, one the other.
// CHECK: struct through__gs_call { {{.*}}::gpusched::Overloads<::at__gs_call, ::at__gs2_call> at; template <class T> __device__ T operator()(T n) const { return at(n) + at(n); } };
template <class T> __device__ T through(T n) { return at(n) + at(n); }
// CHECK: void instances__gs_body({{.*}}const ::through__gs_call through, int* a)
__global__ void instances(int* a) { a[0] = through(1) + int(through(1.0f)); }
template <class T> struct Case {
  T value;
  // CHECK: T get__gs(const ::uint3 blockIdx, const ::dim3 gridDim) const { const ::gpusched::Overloads<::at__gs_call, ::at__gs2_call> at = {{.*}} return at(value) * N; }
  template <int N> __device__ T get() const { return at(value) * N; }
};
// CHECK: void inMembers__gs_body({{.*}}) { a[0] = Case<int>{3}.get__gs<2>(blockIdx, gridDim); }
__global__ void inMembers(int* a) { a[0] = Case<int>{3}.get<2>(); }
// CHECK: void elsewhere__gs_body({{.*}}) { a[0] = Case<float>{3}.get<2>(); }
__global__ void elsewhere(float* a) { a[0] = Case<float>{3}.get<2>(); }
// Templates of the same parameters: told apart by what the call says, also by a pack.
template <int N, class T> __device__ int by(T n) { return blockIdx.x * n * N; }
template <class N, class T> __device__ int by(T n) { return gridDim.x * n * N(2); }
template <class T, int N> __device__ int by(T n) { return gridDim.x * n + N; }
template <class T, int M, int N> __device__ int by(T n) { return n + M * N; }
template <int... Ns> __device__ int byAll(int n) { return by<int, Ns...>(n) + by<int, Ns..., 2>(n); }
// CHECK: const ::gpusched::Overloads<::by__gs_call, ::by__gs2_call> by, int* a) { a[by.template operator()<2>(1)] = by.template operator()<Twice>(1); }
struct Twice { int n; __device__ Twice(int n) : n(2 * n) {} __device__ operator int() const { return n; } };
__global__ void alike(int* a) { a[by<2>(1)] = by<Twice>(1); }
// CHECK: byAll, int* a) { a[0] = byAll.template operator()<1>(3); }
__global__ void packs(int* a) { a[0] = byAll<1>(3); }
// TOLD-NOT: kept native
