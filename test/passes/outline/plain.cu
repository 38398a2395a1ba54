// A plain kernel: the body moves untouched, the kernel is repeated on the closing brace's line.
// RUN: %gpusched-opt --outline --name=plain.cu %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt --outline %s | %reparse
__global__ void __launch_bounds__(256, 2) scale(float* a, // the data
                                                const float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] *= factor; // blockIdx
}
// CHECK: #line 1 "plain.cu"
// CHECK: {{^}}static __device__ __forceinline__ void scale__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, float* a, // the data
// CHECK-NEXT: {{^ +}}const float factor) {
// CHECK-NEXT: const int i = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK-NEXT: a[i] *= factor; // blockIdx
// CHECK-NEXT: {{^}}} __global__ void __launch_bounds__ ( 256 , 2 ) scale(float * a , const float factor) { scale__gs_body(::blockIdx, ::gridDim, a, factor); }{{$}}
