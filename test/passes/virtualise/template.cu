// A function template with deduced arguments and a barrier, called from a kernel template.
// RUN: %gpusched-opt %s | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt %s | %reparse
// CHECK: namespace { struct neighbour__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; ::gpusched::BodyBarrier __syncthreads; template <class T>
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
// A reference to an rvalue is handed on as one.
struct Moved { int n; __device__ Moved(Moved&&); Moved(const Moved&) = delete; };
template <class F, class... A> __device__ int apply(F&& f, A&&... a) { return f(blockIdx.x, a...); }
// CHECK: int apply(F && f , A && ... a) { return ::apply__gs_call{::blockIdx, ::gridDim}.template operator()<F, A...>(static_cast<decltype(f)&&>(f), static_cast<decltype(a)&&>(a)...); }
__device__ int take(Moved&& moved) { return moved.n + gridDim.x; }
// CHECK: int take(Moved && moved) { return ::take__gs_call{::blockIdx, ::gridDim}(static_cast<decltype(moved)&&>(moved)); }
__global__ void applied(int* out, Moved* moved) {
  // CHECK: *out = apply([](int block, int& n) { return block + n; }, *out) + take(static_cast<Moved&&>(*moved));
  *out = apply([](int block, int& n) { return block + n; }, *out) + take(static_cast<Moved&&>(*moved));
}
int main() { shift<<<1, 32>>>(static_cast<float*>(nullptr)); }
// CHECK: &::shift__gs<float>
