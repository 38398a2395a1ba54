// Templates: unnamed parameters and packs; deduced and explicit instantiations.
// RUN: %gpusched-opt --outline %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt %s | %reparse
template <class T, int N, class>
__global__ void fill(T* a, int) { a[blockIdx.x * N] = T(); }
// CHECK: template <class T, int N, class>
// CHECK-NEXT: static __device__ __forceinline__ void fill__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, T* a, int) { a[blockIdx.x * N] = T(); } template < class T , int N , class gpusched_T2 > __global__ void fill(T * a , int gpusched_p1) { fill__gs_body<T, N, gpusched_T2>(::blockIdx, ::gridDim, a, gpusched_p1); }

// CHECK: void pack__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, Out* out, Ts... values) {
// CHECK: } template < class Out , class ... Ts > __global__ void pack(Out * out , Ts ... values) { pack__gs_body<Out, Ts...>(::blockIdx, ::gridDim, out, values...); }
template <class Out, class... Ts> __global__ void pack(Out* out, Ts... values) {
  const Out all[] = {Out(values)...};
  out[blockIdx.x] = all[0];
}

int main() {
  fill<float, 8, void><<<1, 1>>>(nullptr, 0);
  pack<<<1, 1>>>(static_cast<float*>(nullptr), 1, 2.0, 'c');
}
