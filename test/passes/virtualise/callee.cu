// Device functions that read the built-ins, directly or through another, become function objects;
// their text and their callers' text stay as they are.
// RUN: %gpusched-opt %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt %s | %reparse
// CHECK: {{^}}namespace { struct globalIndex__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; __device__ int operator()() const { return blockIdx.x * blockDim.x + threadIdx.x; } }; } static __device__ int globalIndex() { return ::globalIndex__gs_call{::blockIdx, ::gridDim}(); }
static __device__ int globalIndex() { return blockIdx.x * blockDim.x + threadIdx.x; }

namespace tools {
#define MIRROR() mirrored(1)
// CHECK: namespace { struct mirrored__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; ::globalIndex__gs_call globalIndex; __device__ __forceinline__ int
// CHECK-NEXT: operator()(int plus, // comment
// CHECK-NEXT: int = 0) const {
__device__ __forceinline__ int
mirrored(int plus, // comment
         int = 0) {
  return gridDim.x * blockDim.x - plus - globalIndex();
}
// CHECK: } }; } __device__ __forceinline__ int mirrored(int plus , int gpusched_p1 = 0) { return ::tools::mirrored__gs_call{::blockIdx, ::gridDim, ::globalIndex__gs_call{::blockIdx, ::gridDim}}(plus, gpusched_p1); }
__device__ int plain(int a) { return a + threadIdx.x; }
// CHECK: void callees__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::tools::mirrored__gs_call mirrored, const ::globalIndex__gs_call globalIndex, int* out) {
__global__ void callees(int* out) {
  out[MIRROR()] = plain(globalIndex());
  out[1] = globalIndex();
}
// CHECK: } __global__ void callees(int * out) { callees__gs_body(::blockIdx, ::gridDim, ::tools::mirrored__gs_call{::blockIdx, ::gridDim, ::globalIndex__gs_call{::blockIdx, ::gridDim}}, ::globalIndex__gs_call{::blockIdx, ::gridDim}, out); }
} // namespace tools
