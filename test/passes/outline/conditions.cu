// Conditions inside signatures stay where they are; what they left out is not in the copies.
// RUN: %gpusched-opt --explain %s >%t.cu 2>%t.err
// RUN: count 0 < %t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: %reparse %t.cu
// RUN: %reparse %t.cu -DNEVER_USED
__global__ void
#ifdef NEVER
__launch_bounds__(64)
#else
__launch_bounds__(128)
#endif
scale(float* a,
#ifdef NEVER
      short left, // out
#elif !defined(OTHER)
      int n,
#endif
      float by) {
  if (blockIdx.x < n) a[blockIdx.x] *= by;
}
// CHECK: static __device__ __forceinline__ void
// CHECK: {{^}}scale__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, float* a,
// CHECK-NEXT: #ifdef NEVER
// CHECK-NEXT: short left, // out
// CHECK: {{^}}} __global__ void __launch_bounds__ ( 128 ) scale(float * a , int n , float by) {
// CHECK-SAME: __global__ void __launch_bounds__ ( 128 ) scale__gs(const ::gpusched_params gpusched_launch, float * a , int n , float by) {

#ifdef NEVER
__global__ void fill(float* a, float value)
#else
template <class T>
__global__ void fill(T* a, T value)
#endif
{
  a[blockIdx.x] = value;
}
// CHECK: void fill__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, T* a, T value)
// CHECK-NEXT: #endif
// CHECK: template < class T > __global__ void fill(T * a , T value) {

#if defined(OTHER)
__global__ static
#elif defined(NEVER)
#ifdef NEVER
__host__
#endif
#else
__global__
#endif
void one(int* a) { a[blockIdx.x] = 1; }
// CHECK: {{^}}static __device__ __forceinline__ void
// CHECK: {{^}}one__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* a) {
// CHECK-SAME: } __global__ void one(int * a) {

__device__ int place(int at
#ifndef NEVER
                     , int by
#endif
) { return blockIdx.x * by + at; }
__global__ void stride(int* a) {
  a[place(0
#ifndef NEVER
          , 2
#endif
  )] = 1;
}
// CHECK: int operator()(int at
// CHECK: __device__ int place(int at , int by) {

int main() {
  scale<<<1, 128>>>(nullptr, 0, 2.0f);
  fill<<<1, 1>>>(static_cast<float*>(nullptr), 1.0f);
  stride<<<1, 1>>>(nullptr);
  one<<<1, 1>>>(nullptr);
}
