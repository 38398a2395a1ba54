// A function that is defined after its caller: the type of its object stands behind the first
// declaration, its call operator where the function is. Templates, default arguments, storage
// classes; what it calls has to be known at the declaration.
// RUN: %gpusched-opt --explain %s >%t.cu 2>%t.err
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: %reparse %t.cu -arch=sm_90
__device__ int offset() { return blockIdx.x; }
// CHECK: static __device__ int late(int n, int by = 2); namespace { struct late__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; ::offset__gs_call offset; __device__ int operator()(int n , int by = 2) const ; }; }
static __device__ int late(int n, int by = 2);
namespace ns {
// CHECK: template <class T> __device__ T total(T*); namespace { struct total__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; ::gpusched::BodyBarrier __syncthreads; template < class T > __device__ T operator()(T * gpusched_p0) const ; }; }
template <class T> __device__ T total(T*);
} // namespace ns

// CHECK: k__gs_body({{.*}}const ::late__gs_call late, const ::ns::total__gs_call total, {{.*}}int* a, int n)
__global__ void k(int* a, int n) {
  a[0] = late(n);
  if (threadIdx.x < n)
    a[1] = ns::total(a);
}

// CHECK: {{^}} __device__ int late__gs_call::operator()(int n, int by) const { return offset() + n * by; } static __device__ int late(int n , int by) { return ::late__gs_call{::blockIdx, ::gridDim, ::offset__gs_call{::blockIdx, ::gridDim}}(n, by); }
static __device__ int late(int n, int by) { return offset() + n * by; }
namespace ns {
// CHECK: template <class T> __device__ T total__gs_call::operator()(T* a) const { __syncthreads(); return a[threadIdx.x]; } template < class T > __device__ T total(T * a) { return ::ns::total__gs_call{
template <class T> __device__ T total(T* a) { __syncthreads(); return a[threadIdx.x]; }
} // namespace ns

// Defaults that the definition does not repeat, though it stands before the caller.
// CHECK: __device__ int by(int n, int times = 3); namespace { struct by__gs_call { {{.*}}operator()(int n , int times = 3) const ; }; }
__device__ int by(int n, int times = 3);
// CHECK: {{^}}__device__ int by__gs_call::operator()(int n, int times) const { const by__gs_call& by = *this; return
__device__ int by(int n, int times) { return n > 0 ? by(n - times) : blockIdx.x; }
// CHECK: { a[0] = by(7); }
__global__ void defaults(int* a) { a[0] = by(7); }
namespace ns { __device__ int outside(int n); }
// CHECK: {{^}}__device__ int ns::outside__gs_call::operator()(int n) const { return blockIdx.x + n; } __device__ int ns ::outside(int n) { return ::ns::outside__gs_call{
__device__ int ns::outside(int n) { return blockIdx.x + n; }
// CHECK: { a[0] = outside(7); }
__global__ void qualified(int* a) { a[0] = ns::outside(7); }

__device__ int outer(int n);
__device__ int second(int n) { return blockIdx.x + n; }
// REMARK: kernel 'unknown' kept native: [GS020] {{.*}}calls 'second' (blockIdx {{.*}}; which is defined after its caller
__global__ void unknown(int* a) { a[0] = outer(1); }
__device__ int outer(int n) { return second(n); }

__global__ void inBlock(int* a) {
  __device__ int local();
  // REMARK: kernel 'inBlock' kept native: [GS020] {{.*}}calls 'local' (blockIdx {{.*}}; which is not called in the plain way everywhere
  a[0] = local();
}
__device__ int local() { return blockIdx.x; }

struct Value {};
template <class T> __global__ void byArgument(int* a, T v) { a[0] = found(v); }
__device__ int found(Value) { return blockIdx.x; }
// REMARK: kernel 'byArgument{{.*}}' kept native: [GS020] {{.*}}calls 'found' (blockIdx {{.*}}; which is defined after its caller
template __global__ void byArgument(int*, Value);
