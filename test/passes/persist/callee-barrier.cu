// Threads return before a barrier in a function that the kernel calls: the function becomes an
// object that carries the drain barrier, through templates and further functions as well.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
// OUT: struct wait__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; ::gpusched::BodyBarrier __syncthreads; __device__ void operator()() const { __syncthreads(); } };
__device__ void wait() { __syncthreads(); }
// OUT: struct sum__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; ::wait__gs_call wait; template
template <class T> __device__ T sum(T* s, int n) {
  for (int i = 1; i < n; i *= 2) {
    if (threadIdx.x + i < n) s[threadIdx.x] += s[threadIdx.x + i];
    wait();
  }
  return s[0];
}
// OUT: void leaves__gs_body({{.*}} gridDim, const ::gpusched::BodyBarrier __syncthreads, const ::sum__gs_call sum, int* a, int n)
// OUT: leaves__gs_body(gpusched_worker.block(), gpusched_worker.grid(), ::gpusched::BodyBarrier{true}, ::sum__gs_call{gpusched_worker.block(), gpusched_worker.grid(), ::wait__gs_call{gpusched_worker.block(), gpusched_worker.grid(), ::gpusched::BodyBarrier{true}}}, a, n);{{.*}} gpusched_after: gpusched_worker.drain(); }
__global__ void leaves(int* a, int n) {
  __shared__ int s[64];
  if (threadIdx.x >= n) return;
  s[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = sum(s, n);
}
// OUT: void stays__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* a)
__global__ void stays(int* a) { a[0] = sum(a, 64); }
struct Block { __device__ void operator~() const { __syncthreads(); } };
// CHECK: remark: kernel 'member' kept native: [GS040] {{.*}}calls 'operator~' (__syncthreads in 'operator~'); which is an operator
__global__ void member(int* a, int n) {
  if (threadIdx.x < n) ~Block();
}
