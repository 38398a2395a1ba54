// A function template with deduced arguments and a barrier, called from a kernel template.
// RUN: %gpusched-opt %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt %s | %reparse
// CHECK: namespace { struct neighbour__gs_call { ::uint3 blockIdx; ::dim3 gridDim; ::gpusched::BodyBarrier __syncthreads; template <class T>
// CHECK-NEXT: __device__ T operator()(T mine, T* scratch) const {
template <class T>
__device__ T neighbour(T mine, T* scratch) {
  scratch[threadIdx.x] = mine;
  __syncthreads();
  return scratch[blockIdx.x % blockDim.x];
}
// CHECK: } }; } template < class T > __device__ T neighbour(T mine , T * scratch) { return ::neighbour__gs_call{::blockIdx, ::gridDim, ::gpusched::BodyBarrier{false}}.template operator()<T>(mine, scratch); }
// CHECK: void shift__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::neighbour__gs_call neighbour, T* values) {
template <class T> __global__ void shift(T* values) {
  __shared__ T scratch[32];
  values[blockIdx.x] = neighbour(values[blockIdx.x], scratch);
}
template <int N, class T> __device__ T first(T* values) { return values[blockIdx.x * N]; }
// CHECK: out[0] = first.template operator()<3>(values) + first.template operator()<4, const int>(values);
__global__ void explicitly(int* out, const int* values) {
  out[0] = first<3>(values) + first<4, const int>(values);
}
int main() { shift<<<1, 32>>>(static_cast<float*>(nullptr)); }
// CHECK: &::shift__gs<float>
