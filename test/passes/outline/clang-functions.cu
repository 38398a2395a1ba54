// Functions that nvcc has built in and Clang defines in its headers: a program may define them itself. The parse prefers the
// program's, and nvcc gets the text as it was, or with a word that means nothing where it is copied.
// RUN: %gpusched-opt --explain %s > %t.cu 2> %t.remarks && count 0 < %t.remarks
// RUN: grep -v "// CHECK" %t.cu | FileCheck %s && %reparse %t.cu
typedef unsigned uint;
// CHECK: {{^}}__device__ inline int __float_as_int(const float f) {
__device__ inline int __float_as_int(const float f) { return __float2int_rn(f); }

// CHECK: GPUSCHED_PREFERRED __device__ inline uint __float_as_uint(const float f) { return ::__float_as_uint__gs_call{
__device__ inline uint __float_as_uint(const float f) { return uint(f) + gridDim.y; }

// CHECK: void bits__gs_body({{.*}}, const ::__float_as_uint__gs_call __float_as_uint, uint* out, const float* in) {
__global__ void bits(uint* out, const float* in) {
  out[blockIdx.x] = __float_as_uint(in[blockIdx.x]) + __float_as_int(in[0]);
}
