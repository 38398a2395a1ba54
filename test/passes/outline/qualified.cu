// Definitions through a qualified name, and explicit specialisations: the copies stand in the
// kernel's namespace, and what belongs to one specialisation is no template.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --allow-empty --check-prefix=REMARK
// RUN: grep -v '^// ' %t.out | FileCheck %s
// RUN: %reparse %t.out
// REMARK-NOT: remark
namespace a {
inline namespace b { __global__ void k(int* a); }
template <class T> __global__ void t(T* a);
template <class T, int N> __global__ void s(T* a) { a[blockIdx.x] = N; }
__device__ int one() { return 1; }
} // namespace a
// CHECK: {{^}}namespace a { namespace b { static __device__ __forceinline__ void k__gs_body({{.*}}, int* a) { a[blockIdx.x] = one(); } __global__ void k(int * a) { k__gs_body(::blockIdx, ::gridDim, a); } } } namespace a { namespace b { __global__ void k__gs({{.*}} } } } namespace a { namespace b { static const ::gpusched::Registrar k__gs_registrar(&k, &k__gs, {{.*}}); } }
__global__ void a::b::k(int* a) { a[blockIdx.x] = one(); }
// CHECK: {{^}}namespace a { template <class T> static __device__ __forceinline__ void t__gs_body({{.*}} } template < class T > __global__ void t(T * a) {{.*}} } namespace a { template < class T > __global__ void t__gs(
template <class T> __global__ void a::t(T* a) { a[blockIdx.x] = one(); }
namespace a {
// CHECK: {{^}}static __device__ __forceinline__ void s__gs2_body({{.*}}, int* a) { a[blockIdx.x] = 5; } template <> __global__ void s < int , 3 >(int * a) { s__gs2_body(::blockIdx, ::gridDim, a); } static __global__ void s__gs2(const ::gpusched_params gpusched_launch, int * a) {{.*}} static const ::gpusched::Registrar s__gs2_registrar(&s<int, 3>, &s__gs2, "a::s<int, 3>",
template <> __global__ void s<int, 3>(int* a) { a[blockIdx.x] = 5; }
} // namespace a
// CHECK: {{^}}namespace a { static __device__ __forceinline__ void t__gs2_body({{.*}} template <> __global__ void t(double * a)
template <> __global__ void a::t(double* a) { a[blockIdx.x] = 7; }
int main() {
  a::t<<<1, 1>>>(static_cast<int*>(nullptr));
  a::t<<<1, 1>>>(static_cast<double*>(nullptr));
  a::s<int, 3><<<1, 1>>>(nullptr);
  a::s<int, 4><<<1, 1>>>(nullptr);
}
